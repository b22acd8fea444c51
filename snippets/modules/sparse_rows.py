import torch
from torch import nn

table = nn.Embedding(5, 2, sparse=True)
rows = torch.tensor([1, 3, 3])
loss = table(rows).sum()
loss.backward()
gradient = table.weight.grad
print("layout:", gradient.layout)
gradient = gradient.coalesce()
print("rows:", gradient.indices())
print("values:", gradient.values())
print("as a table:", gradient.to_dense())
