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


def x_itself(x, w):
    return w * Round.apply(x) ** 2


def a_product(x, w):
    return Round.apply(w * x) ** 2


def report(name, energy, backend):
    def slope(x, w):
        return torch.func.grad(energy)(x, w)

    torch.compiler.reset()
    call = torch.compile(slope, backend=backend) if backend else slope
    w = torch.tensor(1.0, requires_grad=True)
    found = call(torch.tensor(2.75), w)
    if found.requires_grad:
        found.backward()
    print(f"  {name}: slope {found:g}, w.grad {w.grad}")


for energy in (x_itself, a_product):
    print(f"Round gets {energy.__name__}")
    report("not compiled", energy, None)
    for backend in ("eager", "aot_eager", "inductor"):
        report(backend, energy, backend)
