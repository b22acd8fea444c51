import torch
import torch.nn.functional as F

logits = torch.zeros(1, 4, requires_grad=True)
print("predicted class:", logits.argmax(dim=1).item())

best = logits.max(dim=1).values
best.sum().backward()
print("largest logit, logits.grad:", logits.grad[0])

logits.grad = None
label = torch.tensor([2])
F.cross_entropy(logits, label).backward()
print("softmax:", logits.detach().softmax(dim=1)[0])
print("cross entropy, logits.grad:", logits.grad[0])
