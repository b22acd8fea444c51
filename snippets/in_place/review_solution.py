import torch

w = torch.tensor(2.0, requires_grad=True)
h = torch.zeros(3)
h[0] = 1.0
for t in range(1, 3):
    h[t] = h[t - 1].clone() * w
act = torch.relu(h)
act = act + 1
out = act * w
out -= 1
print("out:", out.detach())

out.sum().backward()
print("w.grad:", w.grad)
