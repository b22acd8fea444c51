import torch
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks


def same(tensor):
    return tensor.detach()


def copy(tensor):
    return tensor.detach().clone()


def run(name, hooks):
    w = torch.tensor(2.0, requires_grad=True)
    with hooks:
        h = w * 1
        y = h**2
    h += 3
    y.backward()
    print(f"{name}: w.grad {w.grad}")


run("copy", saved_tensors_hooks(copy, same))
run("same storage", saved_tensors_hooks(same, same))
run("save_on_cpu, on the CPU", save_on_cpu())
try:
    run("no hooks", torch.enable_grad())
except RuntimeError as error:
    print("no hooks:", str(error).split(":")[0])
