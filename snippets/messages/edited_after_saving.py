import torch

w = torch.tensor([1.0, 4.0], requires_grad=True)
h = w.sqrt()
h += 1
try:
    h.sum().backward()
except RuntimeError as error:
    print("h += 1:", str(error).split(" Hint")[0])

h = w.sqrt()
h = h + 1
h.sum().backward()
print("h = h + 1, w.grad:", w.grad)
