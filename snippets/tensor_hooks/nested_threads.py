from threading import current_thread, local

import torch

settings = local()


class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, inner):
        ctx.inner = inner
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        used.add((current_thread(), getattr(settings, "name", "nothing")))
        if ctx.inner > 0:
            with torch.enable_grad():
                x = torch.ones((), requires_grad=True)
                y = Nested.apply(x, ctx.inner - 1)
            (grad,) = torch.autograd.grad(y, x, grad)
        return grad, None


settings.name = "mine"
for inner in (0, 1, 60):
    used = set()
    w = torch.tensor(1.0, requires_grad=True)
    Nested.apply(w, inner).backward()
    threads, names = ({entry[n] for entry in used} for n in (0, 1))
    print(f"{inner} inside the outer, threads: {len(threads)}, settings.name:", *names)
