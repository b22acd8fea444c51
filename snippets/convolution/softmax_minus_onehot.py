import torch
import torch.nn.functional as F

logits = torch.tensor([[1.0, 2.0, 3.0, 4.0]]).log().requires_grad_()
label = torch.tensor([2])
F.cross_entropy(logits, label).backward()

p = logits.detach().softmax(dim=1)
onehot = F.one_hot(label, 4)
print("softmax:", p[0])
print("one-hot:", onehot[0])
print("difference:", (p - onehot)[0])
print("logits.grad:", logits.grad[0])
