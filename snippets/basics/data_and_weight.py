import torch

data = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
scaled = 10 * data
y = scaled * w
print("scaled.requires_grad:", scaled.requires_grad)
print("y.requires_grad:", y.requires_grad)

y.backward()
print("data.grad:", data.grad)
print("w.grad:", w.grad)
