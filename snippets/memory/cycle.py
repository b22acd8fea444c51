import gc
import weakref

import torch
from torch.autograd.graph import saved_tensors_hooks


def unpack(packed):
    return packed


def run(name, pack):
    x = torch.ones(2, requires_grad=True)
    with saved_tensors_hooks(pack, unpack):
        y = x.exp()
    result = weakref.ref(y)
    del y
    print(f"{name}: freed by del y: {result() is None}")
    gc.collect()
    print(f"  after gc.collect(): {result() is None}")


gc.disable()
run("return tensor", lambda tensor: tensor)
run("return tensor.detach()", lambda tensor: tensor.detach())
gc.enable()
