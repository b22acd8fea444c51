import torch

w = torch.tensor(2.0, requires_grad=True)


def before(grad):
    print("  tensor hook:", grad, "w.grad:", w.grad)


def after(param):
    print("  post-accumulate hook, is w:", param is w)
    print("  param.grad:", param.grad)


w.register_hook(before)
w.register_post_accumulate_grad_hook(after)
for number in ("first", "second"):
    print(number, "backward")
    (3 * w).backward()
