import torch

x = torch.tensor([[2.0, 5.0, 3.0], [7.0, 1.0, 4.0], [6.0, 0.0, 8.0]], requires_grad=True)
largest, places = x.max(dim=1)
upstream = torch.tensor([1.0, 10.0, 100.0])
largest.backward(upstream)
print("x:", x.detach())
print("places:", places)
print("largest:", largest.detach())
print("gradient of largest:", upstream)
print("x.grad:", x.grad)
