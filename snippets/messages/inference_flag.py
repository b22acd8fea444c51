import torch

w = torch.tensor(2.0, requires_grad=True)
with torch.inference_mode():
    x = torch.tensor(3.0)
try:
    x.requires_grad = True
except RuntimeError as error:
    print("flag:", error)

copy = x.clone().requires_grad_()
(w * copy).backward()
print("a copy, copy.grad:", copy.grad)
