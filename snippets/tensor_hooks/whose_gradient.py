from functools import partial

import torch

params = {
    "a": torch.tensor(2.0, requires_grad=True),
    "b": torch.tensor(3.0, requires_grad=True),
}


def reads_the_loop(grad):
    print(f"reads loop, {name}: {tensor.item()}, gradient {grad.item()}")


def is_told(name, tensor, grad):
    print(f"is told, {name}: {tensor.item()}, gradient {grad.item()}")


for name, tensor in params.items():
    tensor.register_hook(reads_the_loop)
    tensor.register_hook(partial(is_told, name, tensor))

(5 * params["a"] + 7 * params["b"]).backward()
