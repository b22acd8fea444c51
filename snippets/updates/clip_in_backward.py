import torch
from torch.nn.utils import clip_grad_norm_

a = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
optimizers = {w: torch.optim.SGD([w], lr=1.0) for w in (a, b)}


def step(w):
    norm = clip_grad_norm_([w], max_norm=1.0)
    print("in the hook, own norm:", norm.item(), " w.grad:", w.grad)
    optimizers[w].step()
    optimizers[w].zero_grad()


for w in (a, b):
    w.register_post_accumulate_grad_hook(step)
(3 * a + 4 * b).backward()
print("after backward, a.grad:", a.grad, " b.grad:", b.grad)
print("norm of both:", clip_grad_norm_([a, b], max_norm=1.0).item())
print(f"a: {a.item():.4f}, b: {b.item():.4f}")
