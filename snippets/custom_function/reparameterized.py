import torch

mu = torch.tensor(1.0, requires_grad=True)
sigma = torch.tensor(2.0, requires_grad=True)
noise = torch.tensor(0.5)
z = mu + sigma * noise
loss = z**2
loss.backward()
print("z:", z.item())
print("mu.grad:", mu.grad)
print("sigma.grad:", sigma.grad)
