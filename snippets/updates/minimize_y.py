import torch


def train(name, objective):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1)
    for step in range(4):
        optimizer.zero_grad()
        value = objective(2 * w - 1)
        value.backward()
        print(f"{name}, step {step}: w={w.item()} value={value.item()}")
        optimizer.step()


train("y itself", lambda y: y)
train("L1", lambda y: y.abs())
