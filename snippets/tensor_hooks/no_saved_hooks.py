from contextlib import nullcontext

import torch
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu

w = torch.tensor(3.0, requires_grad=True)


@disable_saved_tensors_hooks("kernel needs the saved tensors themselves")
def kernel(w):
    return w * w


for name, context in {"alone": nullcontext(), "save_on_cpu": save_on_cpu()}.items():
    try:
        with context:
            print(f"{name}:", kernel(w).item())
    except RuntimeError as error:
        print(f"{name}:", error)
