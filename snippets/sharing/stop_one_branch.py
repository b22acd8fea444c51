import torch

w = torch.tensor(2.0, requires_grad=True)
x1, x2 = 3.0, 5.0

((w * x1) * (w * x2)).backward()
print("both branches, w.grad:", w.grad)

w.grad = None
((w * x1) * (w * x2).detach()).backward()
print("right branch detached, w.grad:", w.grad)

w.grad = None
((w * x1).detach() * (w * x2)).backward()
print("left branch detached, w.grad:", w.grad)
