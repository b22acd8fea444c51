"""A backward pass with atomic additions differs from run to run, until it is made deterministic."""

import os

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
import torch

torch.manual_seed(0)
index = torch.randint(10, (100_000,), device="cuda")
upstream = torch.randn(100_000, device="cuda")


def gradients():
    table = torch.zeros(10, device="cuda", requires_grad=True)
    for _ in range(20):
        table.grad = None
        table.gather(0, index).backward(upstream)
        yield tuple(table.grad.tolist())


print("different gradients in 20 runs:", len(set(gradients())))
torch.use_deterministic_algorithms(True)
print("with deterministic algorithms:", len(set(gradients())))
