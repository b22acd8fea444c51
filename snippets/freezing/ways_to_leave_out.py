import torch


def train(way):
    w = torch.tensor(2.0, requires_grad=True)
    v = torch.tensor(3.0, requires_grad=True)
    held = [w, v]
    if way == "requires_grad_(False)":
        w.requires_grad_(False)
    if way == "not in the optimizer":
        held = [v]
    optimizer = torch.optim.SGD(held, lr=0.5)

    print(way)
    for step in (1, 2):
        optimizer.zero_grad()
        used = w
        if way == "w.detach()":
            used = w.detach()
        loss = v * used
        if way == "inputs=[v]":
            loss.backward(inputs=[v])
        else:
            loss.backward()
        optimizer.step()
        print(f"  step {step}: w.grad={w.grad} w={w.item()} v={v.item()}")


train("requires_grad_(False)")
train("w.detach()")
train("inputs=[v]")
train("not in the optimizer")
