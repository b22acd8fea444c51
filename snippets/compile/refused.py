import torch


def with_autograd(w):
    (slope,) = torch.autograd.grad(w**3, w, create_graph=True)
    return slope**2


def with_func(w):
    slope = torch.func.grad(lambda v: v**3)(w)
    return slope**2


def report(function, backend):
    torch.compiler.reset()
    w = torch.tensor(2.0, requires_grad=True)
    compiled = torch.compile(function, backend=backend)
    print(f"{function.__name__}, {backend}")
    try:
        compiled(w).backward()
        print(f"  w.grad {w.grad.item():g}")
    except RuntimeError as error:
        print(f"  {error}")


report(with_autograd, "eager")
report(with_autograd, "inductor")
report(with_func, "inductor")
with torch._dynamo.config.patch(trace_autograd_ops=True):
    print("with trace_autograd_ops=True")
    report(with_autograd, "inductor")
