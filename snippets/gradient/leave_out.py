import torch

x = torch.tensor([1.0, 2.0, -1.0, -2.0])
y = torch.tensor([3.0, 5.0, -1.0, -3.0])


def train(without):
    w = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.1)
    losses = []
    for _ in range(6):
        if without != "zero_grad":
            optimizer.zero_grad()
        prediction = w * x + b
        loss = ((prediction - y) ** 2).mean()
        losses.append(round(loss.item(), 4))
        if without != "backward":
            loss.backward()
        if without != "step":
            optimizer.step()
    print(f"without {without}:", losses)


for line in ("nothing", "zero_grad", "backward", "step"):
    train(without=line)
