import torch
from torch import nn


class Cube(nn.Module):
    def forward(self, w):
        return w**3


def ten_times(module, grad_input, grad_output):
    return (grad_input[0] * 10,)


hooked = Cube()
hooked.register_full_backward_hook(ten_times)


def forward_only(w):
    return hooked(w)


def whole_step(w):
    hooked(w).backward()


def report(function, backward_outside=True):
    torch.compiler.reset()
    w = torch.tensor(2.0, requires_grad=True)
    compiled = torch.compile(function)
    print(function.__name__)
    try:
        result = compiled(w)
        if backward_outside:
            result.backward()
        print(f"  w.grad {w.grad.item():g}")
    except (RuntimeError, AssertionError) as error:
        print(f"  {error}")


report(forward_only)
with torch._dynamo.config.patch(compiled_autograd=True):
    print("with compiled_autograd=True")
    report(forward_only)
    report(whole_step, backward_outside=False)
