import torch

x = torch.tensor(1.0, requires_grad=True)
y = torch.tanh(x)
y.backward()
print("tanh:", round(y.item(), 4))
print("slope:", round(x.grad.item(), 4))
