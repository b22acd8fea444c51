import torch

w = torch.tensor(3.0, requires_grad=True)
price = 2 * w
loss = (price - 9) ** 2

handle = price.register_hook(lambda grad: grad.clamp(-1, 1))
loss.backward(retain_graph=True)
print("with the hook:", w.grad.item())

handle.remove()
w.grad = None
loss.backward(retain_graph=True)
print("without it:", w.grad.item())
