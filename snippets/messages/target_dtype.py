import torch
import torch.nn.functional as F

p = torch.tensor([0.5, 0.5], requires_grad=True)
for dtype in (torch.float16, torch.float64, torch.int64):
    target = torch.zeros(2, dtype=dtype)
    try:
        F.binary_cross_entropy(p, target).backward()
    except RuntimeError as error:
        print(dtype, "target:", error)

F.binary_cross_entropy(p, target.to(p.dtype)).backward()
print("target.to(p.dtype), p.grad:", p.grad)
