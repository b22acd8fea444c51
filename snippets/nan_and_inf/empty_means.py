import torch
from torch.nn import functional as F

logits = torch.zeros(2, 2, requires_grad=True)
labels = torch.tensor([0, 1])
keep = torch.tensor([False, False])


def losses():
    return F.cross_entropy(logits, labels, reduction="none")


def look(name, loss):
    (grad,) = torch.autograd.grad(loss, logits)
    print(f"{name}: loss {loss.item()}, gradient finite {grad.isfinite().all().item()}")


look("losses[keep].mean()", losses()[keep].mean())
look("sum / keep.sum()", (losses() * keep).sum() / keep.sum())
look("all class weights 0", F.cross_entropy(logits, labels, weight=torch.zeros(2)))
look("sum / clamp(min=1)", (losses() * keep).sum() / keep.sum().clamp(min=1))
