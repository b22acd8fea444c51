import torch

x = torch.tensor(1.0, requires_grad=True)
z = 3 * x
loss = z**2

with z.register_hook(lambda grad: print("  inside:", grad)):
    print("first backward")
    loss.backward(retain_graph=True)
print("second backward")
loss.backward()
print("x.grad:", x.grad)
