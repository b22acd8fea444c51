import torch
from torch import nn


def run(name, net, store_all):
    kept = {module: [] for module in net}

    def keep(module, args, output):
        if not store_all:
            kept[module].clear()
        kept[module].append(args[0].detach())

    def report(module, grad_input, grad_output):
        x = kept[module].pop() if store_all else kept[module][0]
        print(f"{name}: input {x.tolist()}, gradient {grad_input[0].tolist()}")

    for module in kept:
        module.register_forward_hook(keep)
        module.register_full_backward_hook(report)
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    first, last = net
    last(4 - first(x)).sum().backward()


relu = nn.ReLU()
run("one object, last input", [relu, relu], store_all=False)
run("two objects", [nn.ReLU(), nn.ReLU()], store_all=False)
relu = nn.ReLU()
run("one object, a stack", [relu, relu], store_all=True)
