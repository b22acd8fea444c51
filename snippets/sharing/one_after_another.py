import torch


def net(w, x):
    return w * (w * x)


w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: print("hook on x:", grad))
net(w, x).backward()

h = 0.01
print("w.grad:", w.grad)
print(f"finite difference: {(net(3 + h, 2) - net(3 - h, 2)) / (2 * h):.4f}")
print("x.grad:", x.grad)
print(f"finite difference: {(net(3, 2 + h) - net(3, 2 - h)) / (2 * h):.4f}")
