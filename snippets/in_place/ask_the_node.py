import torch


def tell(label, y):
    names = [n for n in dir(y.grad_fn) if n.startswith("_saved")]
    print(label)
    for name in names:
        print("  ", name, getattr(y.grad_fn, name))


w = torch.tensor(4.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
tell("w.sqrt()", w.sqrt())
tell("w**2", w**2)
tell("w + v", w + v)
tell("w * v", w * v)
tell("w * 3", w * 3)
