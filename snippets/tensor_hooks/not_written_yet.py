import threading

import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)


def on_all(grads):
    print("given:", grads)
    print("a.grad:", a.grad)
    print("b.grad:", b.grad)
    print("same thread:", threading.current_thread() is caller)


caller = threading.current_thread()
register_multi_grad_hook((a, b), on_all)
(a * b).backward()
print("after backward, a.grad:", a.grad)
print("after backward, b.grad:", b.grad)
