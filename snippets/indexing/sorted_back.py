import torch

third = 1.5
x = torch.tensor([3.0, 1.0, third], requires_grad=True)
weights = torch.tensor([1.0, 10.0, 100.0])
values, places = x.sort()
loss = (weights * values).sum()
loss.backward()
print("sorted:", values.detach())
print("places:", places)
print("x.grad:", x.grad)
print("places require a gradient:", places.requires_grad)
