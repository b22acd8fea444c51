import torch

hooks = {
    "None": lambda param: None,
    "the parameter itself": lambda param: param,
    "a new tensor": lambda param: 2 * param.grad,
    "a number": lambda param: 2.0,
}

w = torch.tensor(2.0, requires_grad=True)
try:
    (3 * w).register_post_accumulate_grad_hook(hooks["None"])
except RuntimeError as error:
    print("on an intermediate tensor:")
    print(" ", error)

for returned, hook in hooks.items():
    w = torch.tensor(2.0, requires_grad=True)
    w.register_post_accumulate_grad_hook(hook)
    try:
        (3 * w).backward()
        print(f"returns {returned}, w.grad:", w.grad)
    except (RuntimeError, TypeError) as error:
        print(f"returns {returned}, {type(error).__name__}:")
        print(" ", error)
