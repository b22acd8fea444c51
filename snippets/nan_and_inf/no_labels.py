import torch
from torch.nn import functional as F

logits = torch.zeros(2, 2, requires_grad=True)
for labels in (torch.tensor([0, -100]), torch.tensor([-100, -100])):
    print("labels:", labels.tolist())
    (grad,) = torch.autograd.grad(F.cross_entropy(logits, labels), logits)
    print("  mean:", F.cross_entropy(logits, labels).item(), "gradient", grad.tolist())

    total = F.cross_entropy(logits, labels, reduction="sum")
    count = (labels != -100).sum().clamp(min=1)
    (grad,) = torch.autograd.grad(total / count, logits)
    print("  sum / count:", (total / count).item(), "gradient", grad.tolist())
