import torch

w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
try:
    w.resize_(2, 2)
except RuntimeError as error:
    print("resize_:", error)

(w.reshape(2, 2) ** 2).sum().backward()
print("reshape, w.grad:", w.grad)

output = 2 * w
try:
    output.resize_(2, 2)
except RuntimeError as error:
    print("an output:", error)
print("detach(), resize_:", output.detach().resize_(2, 2))
