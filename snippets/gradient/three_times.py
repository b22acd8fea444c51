import torch

w = torch.tensor(3.0, requires_grad=True)
price = 2 * w
miss = price - 9
loss = 3 * miss**2

loss.backward()
print("w.grad:", w.grad.item())
