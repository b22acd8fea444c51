import torch

w = torch.tensor(2.0, requires_grad=True)
h = torch.zeros(3)
h[0] = 1.0
for t in range(1, 3):
    h[t] = h[t - 1] * w
act = torch.relu(h)
act += 1
out = act * w
out -= 1
print("out:", out.detach())

try:
    out.sum().backward()
    print("w.grad:", w.grad)
except RuntimeError as error:
    print(str(error).split(": ")[1].removesuffix(" Hint"))
