import torch

x = torch.tensor([1.0, 2.0, -1.0, -2.0])
y = torch.tensor([3.0, 5.0, -1.0, -3.0])


def train(clear):
    w = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.1)
    losses = []
    for _ in range(4):
        loss = ((w * x + b - y) ** 2).mean()
        losses.append(round(loss.item(), 4))
        loss.backward()
        if clear == "in between":
            optimizer.zero_grad()
        optimizer.step()
        if clear == "at the end":
            optimizer.zero_grad()
    print(f"clear {clear}:", losses)


train(clear="at the end")
train(clear="in between")
