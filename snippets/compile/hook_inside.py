import torch


def hook_inside(w):
    y = w * 3
    y.register_hook(lambda grad: grad * 10)
    return (y * 2).sum()


def returns_y(w):
    y = w * 3
    return y, (y * 2).sum()


def see(grad):
    print(f"    the hook sees {grad}")


for backend in ("eager", "inductor"):
    print(backend)
    torch.compiler.reset()
    w = torch.tensor(1.0, requires_grad=True)
    compiled = torch.compile(hook_inside, backend=backend)
    compiled(w).backward()
    print(f"  hook inside: w.grad {w.grad.item():g}")

    compiled = torch.compile(returns_y, backend=backend)
    for total in ("loss", "loss + 5 * y"):
        w.grad = None
        y, loss = compiled(w)
        y.register_hook(see)
        if total == "loss + 5 * y":
            loss = loss + 5 * y
        print(f"  hook outside, backward from {total}:")
        loss.backward()
        print(f"    w.grad {w.grad.item():g}")
