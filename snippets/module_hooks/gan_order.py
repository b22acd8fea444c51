import torch


def train(label, order):
    w = torch.tensor(2.0, requires_grad=True)
    g = torch.tensor(3.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    score = w * g
    print(label)
    try:
        (score**2).backward(inputs=[w], retain_graph=True)
        if order == "step between":
            optimizer.step()
        if order == "forward again":
            optimizer.step()
            score = w * g
        ((score - 1) ** 2).backward(inputs=[g])
        if order == "step last":
            optimizer.step()
        print("  g.grad:", round(g.grad.item(), 4))
    except RuntimeError as error:
        print("  RuntimeError:", str(error).split(": ")[0])
    print("  w:", round(w.item(), 4))


for order in ("step between", "forward again", "step last"):
    train(order, order)
