import torch


def loss(w):
    with torch.autocast("cpu", enabled=False):
        return 1000 * (w @ w).sum()


def autocast_inside(w):
    with torch.autocast("cpu", dtype=dtype):
        return loss(w)


def report(name, forward):
    torch.compiler.reset()
    w = (100 * torch.eye(2)).requires_grad_()
    forward(w).backward()
    print(f"  {name}: w.grad[0, 0] {w.grad[0, 0].item():g}")


def around(function):
    def call(w):
        with torch.autocast("cpu", dtype=dtype):
            return function(w)

    return call


compiled = torch.compile(loss)
for dtype in (torch.float16, torch.bfloat16):
    print(dtype)
    report("not compiled", around(loss))
    report("eager", around(torch.compile(loss, backend="eager")))
    report("inductor", around(compiled))

dtype = torch.float16
print("float16 and inductor, two ways out")
with torch._functorch.config.patch(backward_pass_autocast="off"):
    report("setting off", around(compiled))
report("autocast inside", torch.compile(autocast_inside))
