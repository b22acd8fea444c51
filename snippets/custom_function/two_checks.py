import numpy as np
import torch
from torch.autograd import gradcheck
from torch.library import custom_op, opcheck


def kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.maximum(x.numpy(force=True), 0) ** 2)


def edits(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy(force=True)
    np.maximum(array, 0, out=array)
    return torch.from_numpy(array**2)


def save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def check(name, kernel, factor=2, fake=True):
    op = custom_op(f"lab::{name}", kernel, mutates_args=())
    if fake:
        op.register_fake(torch.empty_like)
    op.register_autograd(
        lambda ctx, grad_y: grad_y * factor * ctx.saved_tensors[0].relu(), setup_context=save
    )
    x = torch.tensor([-1.0, 3.0], dtype=torch.float64, requires_grad=True)
    results = opcheck(op, (x.clone().detach().requires_grad_(),), raise_exception=False)
    failed = [test for test, result in results.items() if result != "SUCCESS"]
    print(f"{name}\n  opcheck fails: {', '.join(failed) or 'nothing'}")
    print("  gradcheck says:", gradcheck(op, (x,), raise_exception=False))


check("all_right", kernel)
check("wrong_derivative", kernel, factor=1)
check("edits_its_input", edits)
check("no_register_fake", kernel, fake=False)
