from concurrent.futures import ThreadPoolExecutor

import torch


def order(build_last):
    w = torch.tensor(2.0, requires_grad=True)
    first = 3 * w
    second = first**2
    last = build_last(lambda: 5 * w)
    for name, result in {"first": first, "second": second, "last": last}.items():
        result.grad_fn.register_hook(lambda *_, name=name: ran.append(name))
    ran = []
    (second + last).backward()
    return ran, w.grad.item()


def in_a_new_thread(build):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(build).result()


print("one thread:", *order(lambda build: build()))
print("two threads:", *order(in_a_new_thread))
