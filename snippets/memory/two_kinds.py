import warnings

import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
data = torch.tensor(2.0)


def block(x, scale=1):
    return w * x * scale


def backward(y):
    w.grad = None
    y.backward()
    return f"w.grad {w.grad}"


def tell(name, use, *args, **settings):
    try:
        print(f"  {name}: {use(checkpoint(block, *args, **settings))}")
    except (RuntimeError, ValueError) as error:
        sentence = str(error).split(". ")[0]
        print(f"  {name}: {type(error).__name__}: {sentence}")


warnings.simplefilter("ignore")
for reentrant in (True, False):
    kind = {"use_reentrant": reentrant}
    print(kind)
    tell("x needs a gradient", backward, x, **kind)
    tell("only w needs one", backward, data, **kind)
    tell("autograd.grad", lambda y: torch.autograd.grad(y, x), x, **kind)
    tell("keyword argument", backward, x, scale=2, **kind)
