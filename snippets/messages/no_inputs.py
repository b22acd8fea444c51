import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w**2
frozen = [p for p in (w,) if not p.requires_grad]
try:
    torch.autograd.grad(loss, frozen)
except RuntimeError as error:
    print("grad:", error)
try:
    loss.backward(inputs=frozen)
except RuntimeError as error:
    print("backward:", error)

trained = [p for p in (w,) if p.requires_grad]
(gradient,) = torch.autograd.grad(loss, trained)
print("one parameter, gradient:", gradient)
