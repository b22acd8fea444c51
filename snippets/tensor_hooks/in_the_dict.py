import torch


def show(grad):
    print("show:", grad)


def hooks(tensor):
    return [hook.__name__ for hook in (tensor._backward_hooks or {}).values()]


x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
z.retain_grad()
z.retain_grad()
print("after retain_grad, in the dict:", hooks(z))

z.register_hook(show)
z.register_hook(show)
print("after register_hook, in the dict:", hooks(z))
z.sum().backward()
print("z.grad:", z.grad)
