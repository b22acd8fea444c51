import torch
from torch.func import jacfwd, jacrev
from torch.utils.flop_counter import FlopCounterMode


def f(x):
    return torch.tanh(matrix @ x)


for outputs, inputs in ((200, 2), (2, 200)):
    matrix = torch.ones(outputs, inputs) / 100
    x = torch.ones(inputs)
    print(f"inputs: {inputs}, outputs: {outputs}")
    for jacobian in (jacrev, jacfwd):
        with FlopCounterMode(display=False) as counter:
            jacobian(f)(x)
        flops = counter.get_total_flops()
        print(f"  {jacobian.__name__}:", flops, "operations")
