import torch
from torch.nn import functional as F

logits = torch.zeros(2, 2, requires_grad=True)
for labels in (torch.tensor([0, -100]), torch.tensor([-100, -100])):
    print("labels:", labels.tolist())
    loss = F.cross_entropy(logits, labels)
    (grad,) = torch.autograd.grad(loss, logits)
    print("  mean:", loss.item(), "gradient", grad.tolist())

    total = F.cross_entropy(logits, labels, reduction="sum")
    count = (labels != -100).sum().clamp(min=1)
    loss = total / count
    (grad,) = torch.autograd.grad(loss, logits)
    print("  sum / count:", loss.item(), "gradient", grad.tolist())
