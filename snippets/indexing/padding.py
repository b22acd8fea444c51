import torch
from torch import nn

words = torch.tensor([2, 1, 1, 0, 0])
for padding_idx in (None, 0):
    table = nn.Embedding(3, 1, padding_idx=padding_idx)
    nn.init.ones_(table.weight)
    rows = table(words)
    rows.sum().backward()
    print("padding_idx", padding_idx)
    print("    rows:", rows.detach()[:, 0])
    print("    gradient:", table.weight.grad[:, 0])
