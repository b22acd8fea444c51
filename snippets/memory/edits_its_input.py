import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor(3.0, requires_grad=True)


def block(x):
    x *= 2
    return (w * x) ** 2


def block_of_list(parts):
    return block(parts[0])


def block_of_copy(x):
    return block(x.clone())


def run(name, function, argument, plain=False):
    w.grad = None
    try:
        if plain:
            y = function(argument)
        else:
            y = checkpoint(function, argument, use_reentrant=False)
        y.backward()
        print(f"{name}: w.grad {w.grad.item()}")
    except RuntimeError as error:
        print(f"{name}: {str(error).split(': ')[0]}")


run("no checkpoint", block, torch.tensor(1.0), plain=True)
run("argument", block, torch.tensor(1.0))
run("in a list", block_of_list, [torch.tensor(1.0)])
run("copy", block_of_copy, torch.tensor(1.0))
