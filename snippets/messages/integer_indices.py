import torch

x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
values, indices = x.max(dim=0)
try:
    indices.requires_grad_()
except RuntimeError as error:
    print("indices:", error)

values.backward()
print("values, x.grad:", x.grad)
