import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.round()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_y):
        return grad_y


def energy(x):
    return Round.apply(x) ** 2


def slope(x):
    return torch.func.grad(energy)(x)


def report(name, first, inner):
    torch.compiler.reset()
    x = torch.tensor(2.6, requires_grad=True)
    first(x).backward()
    print(f"{name}: backward() {x.grad:g}, torch.func.grad {inner(x):g}")


report("not compiled", energy, slope)
for backend in ("eager", "aot_eager"):
    compiled = [torch.compile(f, backend=backend) for f in (energy, slope)]
    report(backend, *compiled)
