import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(2.0, requires_grad=True)
calls = []


def block(x):
    calls.append("block")
    y = w * x
    return y * y


x = torch.tensor(3.0)
loss = checkpoint(block, x, use_reentrant=False)
print("after the forward pass, calls:", len(calls))

loss.backward()
print("after backward(), calls:", len(calls))
print("w.grad:", w.grad)
