import torch
import torch.nn.functional as F
from torch.func import grad, hessian

logits = torch.tensor([1.0, 3.0]).log()
p = logits.softmax(0)
print("probabilities:", p)

fisher = torch.zeros(2, 2)
for label in torch.tensor([0, 1]):
    g = grad(F.cross_entropy)(logits, label)
    print("label", label.item(), "gradient:", g)
    print("  times its transpose:", g.outer(g)[0])
    print("  Hessian:", hessian(F.cross_entropy)(logits, label)[0])
    fisher += p[label] * g.outer(g)
print("weighted by the probabilities:", fisher[0])
