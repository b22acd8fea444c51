import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    w.grad = 0
except TypeError as error:
    print("a number:", error)

w.grad = torch.zeros_like(w)
print("zeros_like:", w.grad)
w.grad = None
print("None:", w.grad)
