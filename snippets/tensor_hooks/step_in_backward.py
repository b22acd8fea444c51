import torch


def train(inside):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in (a, b)}

    def step(param):
        alive = [p for p in (a, b) if p.grad is not None]
        print("  gradients alive:", len(alive))
        optimizers[param].step()
        optimizers[param].zero_grad()

    if inside:
        for p in (a, b):
            p.register_post_accumulate_grad_hook(step)
    (a * b).backward()
    if not inside:
        for p in (a, b):
            step(p)
    print(f"  a: {a.item():.4f}, b: {b.item():.4f}")


print("step after backward")
train(inside=False)
print("step inside backward")
train(inside=True)
