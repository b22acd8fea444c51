import torch

w = torch.tensor(3.0, requires_grad=True)
price = 2 * w
miss = price - 9
loss = miss**2

price.register_hook(lambda grad: print("the price receives", grad.item()))
miss.register_hook(lambda grad: print("the miss receives", grad.item()))
print("before backward")
loss.backward()
print("w.grad:", w.grad.item())
