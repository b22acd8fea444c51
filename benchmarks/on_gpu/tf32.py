"""TF32 keeps ten bits behind the point: a product of float32 matrices forgets the others."""

import torch

x = torch.full((64, 64), 1 + 2.0**-12, device="cuda", requires_grad=True)
one = torch.eye(64, device="cuda")
for precision in ("highest", "high"):
    torch.set_float32_matmul_precision(precision)
    x.grad = None
    y = x @ one
    y.backward(torch.full_like(y, 1 + 2.0**-12))
    print(f"{precision}: y - 1 {y[0, 0].item() - 1}, x.grad - 1 {x.grad[0, 0].item() - 1}")
