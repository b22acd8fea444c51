import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = 3 * w
try:
    for row in x:
        row *= 10
except RuntimeError as error:
    print("for row in x:", str(error).split(". ")[0])

x = 3 * w
for i in range(len(x)):
    x[i] *= 10
x.sum().backward()
print("x[i], w.grad:", w.grad)
w.grad = None
torch.stack([10 * row for row in 3 * w]).sum().backward()
print("stack, w.grad:", w.grad)
