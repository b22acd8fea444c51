import torch


def show(grad):
    print("show:", grad)


x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
z.retain_grad()
z.retain_grad()
print("after retain_grad, dict:", z._backward_hooks)

z.register_hook(show)
z.register_hook(show)
hooks = z._backward_hooks.values()
print("in the dict:", [hook.__name__ for hook in hooks])
z.sum().backward()
print("z.grad:", z.grad)
