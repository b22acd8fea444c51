import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
loss = z.sum()

z.retain_grad()
z.register_hook(lambda grad: print("hook on z:", grad))
loss.backward(retain_graph=True)
loss.backward()
print("z.grad:", z.grad)
