import torch

w = torch.tensor(2.0, requires_grad=True)

y = w * 3
cut = y.detach()
print("detach(): y has a grad_fn:", y.grad_fn is not None)
print("detach(): cut has a grad_fn:", cut.grad_fn is not None)

(y * cut).backward()
print("y * cut, w.grad:", w.grad)

y = w * 3
y.detach_()
print("detach_(): y has a grad_fn:", y.grad_fn is not None)

with torch.no_grad():
    target = w * 3
print("no_grad(): target has a grad_fn:", target.grad_fn is not None)
same = target.detach().data_ptr() == target.data_ptr()
print("target.detach() has the storage of target:", same)
