import torch


def loss(w):
    with torch.autocast("cpu", enabled=False):
        return 1000 * (w @ w).sum()


def autocast_inside(w):
    with torch.autocast("cpu", dtype=dtype):
        return loss(w)


def report(name, forward):
    torch.compiler.reset()
    w = torch.tensor([[100.0]], requires_grad=True)
    forward(w).backward()
    print(f"  {name}: w.grad {w.grad.item():g}")


def around(function):
    def call(w):
        with torch.autocast("cpu", dtype=dtype):
            return function(w)

    return call


for dtype in (torch.float16, torch.bfloat16):
    print(dtype)
    report("not compiled", around(loss))
    report("eager", around(torch.compile(loss, backend="eager")))
    aot = torch.compile(loss, backend="aot_eager")
    report("aot_eager", around(aot))
    with torch._functorch.config.patch(backward_pass_autocast="off"):
        report("aot_eager, setting off", around(aot))
    inside = torch.compile(autocast_inside, backend="aot_eager")
    report("aot_eager, autocast inside", inside)
