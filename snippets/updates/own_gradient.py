import torch

x = torch.tensor([0.0, 0.0])
print("x.requires_grad:", x.requires_grad)
x.grad = torch.tensor([10.0, -3.0])
torch.optim.SGD([x], lr=1).step()
print("after step, x:", x)
