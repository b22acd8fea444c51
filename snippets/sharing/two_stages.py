import torch


def train(name, tied=False, add=False):
    first = torch.tensor([1.0, 2.0], requires_grad=True)
    last = first if tied else first.detach().clone()
    last.requires_grad_()
    parameters = [first] if tied else [first, last]
    optimizer = torch.optim.SGD(parameters, lr=0.125)
    for _ in range(2):
        optimizer.zero_grad()
        (3 * first - last**2).sum().backward()
        if add:
            total = first.grad + last.grad
            first.grad = total
            last.grad = total.clone()
        optimizer.step()
    print(name)
    print("  first:", first.detach())
    print("  last:", last.detach())


train("one parameter", tied=True)
train("two, not added")
train("two, gradients added", add=True)
