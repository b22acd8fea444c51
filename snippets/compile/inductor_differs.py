import torch


def scaled(w):
    return w * 1.01 * 1.01


def dropped(w):
    return torch.dropout(w, 0.5, train=True)


def report(name, function, w):
    torch.compiler.reset()
    torch.manual_seed(0)
    w.grad = None
    function(w).sum().backward()
    print(f"  {name}: w.grad {w.grad.tolist()}")


def compare(function, w):
    w.requires_grad_()
    print(function.__name__, w.dtype)
    report("not compiled", function, w)
    for backend in ("aot_eager", "inductor"):
        compiled = torch.compile(function, backend=backend)
        report(backend, compiled, w)
    with torch._inductor.config.patch(emulate_precision_casts=True, fallback_random=True):
        report("inductor, as eager", compiled, w)


compare(scaled, torch.ones(1, dtype=torch.bfloat16))
compare(dropped, torch.ones(8))
