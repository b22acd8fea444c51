import torch

x = torch.tensor(0.25, requires_grad=True)
root = torch.sqrt(x)
root.backward()
print("sqrt:", root.item())
print("slope:", x.grad.item())
