import torch
from torch import nn
from torch.optim import SGD, Adam, SparseAdam

for optimizer_class in (SGD, Adam, SparseAdam):
    print(f"{optimizer_class.__name__}:")
    embedding = nn.Embedding(3, 1, sparse=optimizer_class is SparseAdam)
    nn.init.ones_(embedding.weight)
    optimizer = optimizer_class(embedding.parameters(), lr=0.1)
    for rows in ([0, 1], [0]):
        optimizer.zero_grad()
        embedding(torch.tensor(rows)).sum().backward()
        optimizer.step()
        print(f"  rows used {rows}, weight:", embedding.weight.detach().flatten())
