import torch
from torch.nn.utils import clip_grad_norm_

w = torch.zeros(2, requires_grad=True)
for first in (float("inf"), float("nan")):
    w.grad = torch.tensor([first, 3.0])
    norm = clip_grad_norm_([w], max_norm=1.0)
    print(f"gradient {first}, 3: norm={norm.item()}")
    print("  after clipping:", w.grad)

w.grad = torch.tensor([float("inf"), 3.0])
try:
    clip_grad_norm_([w], max_norm=1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". To")[0])
print("  w.grad:", w.grad)
