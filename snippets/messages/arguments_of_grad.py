import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
try:
    torch.autograd.backward([w**2], [1.0])
except TypeError as error:
    print("a number:", error)
try:
    torch.autograd.grad(w**2, [w, b], allow_unused=False, materialize_grads=True)
except ValueError as error:
    print("two wishes:", error)

torch.autograd.backward([w**2], [torch.tensor(1.0)])
print("a tensor, w.grad:", w.grad)
print("zeros:", torch.autograd.grad(w**2, [w, b], materialize_grads=True))
