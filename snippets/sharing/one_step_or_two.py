import torch


def loss1(w):
    return (w - 1) ** 2


def loss2(w):
    return (w - 3) ** 2


def train(together):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    for losses in [(loss1, loss2)] if together else [(loss1,), (loss2,)]:
        optimizer.zero_grad()
        sum(loss(w) for loss in losses).backward()
        optimizer.step()
        print("  w.grad:", w.grad.item(), " w:", w.item())


print("one step on loss1 + loss2:")
train(together=True)
print("a step on loss1, then a step on loss2:")
train(together=False)
