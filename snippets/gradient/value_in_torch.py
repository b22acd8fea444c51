import torch

w = torch.tensor(3.0, requires_grad=True)
price = torch.tensor(2.0) * w
miss = price + torch.tensor(-9.0)
loss = miss * miss

loss.backward()
print("w.grad:", w.grad.item())
