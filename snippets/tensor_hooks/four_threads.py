from concurrent.futures import ThreadPoolExecutor

import torch

w = torch.tensor(0.0, requires_grad=True)


def work(number):
    for _ in range(300):
        (1.0 * w).backward()


with ThreadPoolExecutor(4) as pool:
    list(pool.map(work, range(4)))
print("w.grad:", w.grad.item())
