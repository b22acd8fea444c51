import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0)
c = torch.tensor(5.0, requires_grad=True)

for name in ("b frozen", "no_grad()", "detach()"):
    a.grad = c.grad = None
    with torch.no_grad() if name == "no_grad()" else torch.enable_grad():
        y = b * a
    if name == "detach()":
        y = y.detach()
    (c * y).backward()
    print(name)
    print(f"  a.grad={a.grad} b.grad={b.grad} c.grad={c.grad}")
