import torch

hooks = {
    "None": lambda grad: None,
    "same shape": lambda grad: 2 * grad,
    "other shape": lambda grad: grad[:1],
    "other dtype": lambda grad: grad.double(),
    "a list": lambda grad: grad.tolist(),
    "a number": lambda grad: 2.0,
}

for returned, hook in hooks.items():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    hook.__name__ = "my_hook"
    x.register_hook(hook)
    try:
        x.sum().backward()
        print(f"{returned}, x.grad:", x.grad)
    except (RuntimeError, TypeError) as error:
        print(f"{returned}, {type(error).__name__}:")
        print(f"  {error}")
