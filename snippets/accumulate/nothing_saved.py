import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
total = (x + 1).sum()
total.backward()
total.backward()
print("sum, twice, x.grad:", x.grad)

x.grad = None
square = (x**2).sum()
square.backward()
try:
    square.backward()
except RuntimeError as error:
    print("square, twice:", str(error).split(" (")[0])
print("square, once, x.grad:", x.grad)
