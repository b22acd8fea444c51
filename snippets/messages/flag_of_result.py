import torch

w = torch.tensor(3.0, requires_grad=True)
h = w**2
try:
    h.requires_grad = False
except RuntimeError as error:
    print("h:", error)

constant = h.detach()
(w * constant).backward()
print("h.detach() as a constant, w.grad:", w.grad)
w.requires_grad = False
print("w frozen, requires_grad of w**2:", (w**2).requires_grad)
