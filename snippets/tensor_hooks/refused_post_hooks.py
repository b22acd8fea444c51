import torch


def run(returned):
    w = torch.tensor(2.0, requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda param: returned)
    (3 * w).backward()
    print("returns None, w.grad:", w.grad)


w = torch.tensor(2.0, requires_grad=True)
try:
    (3 * w).register_post_accumulate_grad_hook(print)
except RuntimeError as error:
    print("on an intermediate tensor:")
    print(" ", error)

for returned in (None, torch.tensor(5.0), 5.0):
    try:
        run(returned)
    except (RuntimeError, TypeError) as error:
        print(f"returns a {type(returned).__name__}, {type(error).__name__}:")
        print(" ", error)
