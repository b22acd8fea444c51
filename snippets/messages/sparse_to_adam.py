import torch
from torch import nn

table = nn.Embedding(3, 1, sparse=True)
nn.init.zeros_(table.weight)
table(torch.tensor([2])).sum().backward()
try:
    torch.optim.Adam(table.parameters()).step()
except RuntimeError as error:
    print("Adam:", error)

torch.optim.SparseAdam(table.parameters(), lr=0.5).step()
print("SparseAdam:", table.weight.detach().flatten())
table = nn.Embedding(3, 1, sparse=False)
nn.init.zeros_(table.weight)
table(torch.tensor([2])).sum().backward()
torch.optim.Adam(table.parameters(), lr=0.5).step()
print("sparse=False, Adam:", table.weight.detach().flatten())
