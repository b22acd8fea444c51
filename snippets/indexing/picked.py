import torch

first = 2
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
places = torch.tensor([first, 0, 2])
weights = torch.tensor([1.0, 10.0, 100.0])
y = x[places]
loss = (weights * y).sum()
loss.backward()
print("y:", y.detach())
print("x.grad:", x.grad)
