import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)


def train_step():
    loss = 0.5 * (w**2).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def look(optimizer, args, kwargs):
    for group in optimizer.param_groups:
        for p in group["params"]:
            print("before the step:", p.grad)


handle = optimizer.register_step_pre_hook(look)
train_step()
handle.remove()
print("after train_step:", w.grad)
try:
    w.grad *= 0.5
except TypeError as error:
    print("too late:", error)
