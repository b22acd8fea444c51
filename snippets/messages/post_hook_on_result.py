import torch

w = torch.tensor(2.0, requires_grad=True)
h = 3 * w
try:
    h.register_post_accumulate_grad_hook(lambda tensor: None)
except RuntimeError as error:
    print("on h:", error)

h.register_hook(lambda grad: print("tensor hook on h:", grad))
w.register_post_accumulate_grad_hook(lambda p: print("hook on w, p.grad:", p.grad))
(h**2).backward()
