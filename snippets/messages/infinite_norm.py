import torch
from torch.nn.utils import clip_grad_norm_

w = torch.tensor([0.0, 4.0], requires_grad=True)
w.sqrt().sum().backward()
try:
    clip_grad_norm_([w], max_norm=1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print("sqrt(0):", str(error).split(". To")[0])
print("w.grad:", w.grad)

w.grad = None
(w + 1).sqrt().sum().backward()
norm = clip_grad_norm_([w], max_norm=1.0, error_if_nonfinite=True)
print("cause removed, norm:", round(norm.item(), 4))
