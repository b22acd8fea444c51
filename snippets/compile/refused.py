import torch
from torch import nn


class Cube(nn.Module):
    def forward(self, w):
        return w**3


def with_autograd(w):
    (slope,) = torch.autograd.grad(w**3, w, create_graph=True)
    return slope**2


def with_func(w):
    slope = torch.func.grad(lambda v: v**3)(w)
    return slope**2


def with_hook(w):
    return hooked(w)


def whole_step(w):
    hooked(w).backward()


def report(function, backend, backward_outside=True):
    torch.compiler.reset()
    w = torch.tensor(2.0, requires_grad=True)
    compiled = torch.compile(function, backend=backend)
    print(f"{function.__name__}, {backend}")
    try:
        result = compiled(w)
        if backward_outside:
            result.backward()
        print(f"  w.grad {w.grad.item():g}")
    except (RuntimeError, AssertionError) as error:
        print(f"  {error}")


def ten_times(module, grad_input, grad_output):
    return (grad_input[0] * 10,)


config = torch._dynamo.config
report(with_autograd, "eager")
report(with_autograd, "aot_eager")
report(with_func, "aot_eager")
with config.patch(trace_autograd_ops=True):
    print("with trace_autograd_ops=True")
    report(with_autograd, "aot_eager")

hooked = Cube()
hooked.register_full_backward_hook(ten_times)
print("with a full backward hook")
report(with_hook, "aot_eager")
with config.patch(compiled_autograd=True):
    print("with compiled_autograd=True")
    report(with_hook, "aot_eager")
    report(whole_step, "aot_eager", backward_outside=False)
