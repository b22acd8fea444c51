import torch
from torch import nn

table, linear = nn.Embedding(3, 2, sparse=True), nn.Linear(2, 1)
linear(table(torch.tensor([2]))).sum().backward()
try:
    torch.optim.SparseAdam([*table.parameters(), *linear.parameters()]).step()
except RuntimeError as error:
    print("one optimizer:", error)

before = linear.weight.detach().clone()
for_table = torch.optim.SparseAdam(table.parameters())
for_linear = torch.optim.Adam(linear.parameters())
for_table.step()
for_linear.step()
print("two, linear.weight moved:", not torch.equal(before, linear.weight))
