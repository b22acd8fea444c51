import torch

logits = torch.tensor([[1.0, 1.0, 0.0, 1.0]])
classes = logits.shape[1]
first = logits.argmax(dim=1)
last = classes - 1 - logits.flip(1).argmax(dim=1)
print("first:", first)
print("last:", last)
