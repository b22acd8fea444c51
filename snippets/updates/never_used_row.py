import torch
from torch import nn
from torch.optim import Adam, AdamW

for optimizer_class in (Adam, AdamW):
    embedding = nn.Embedding(2, 1)
    nn.init.ones_(embedding.weight)
    optimizer = optimizer_class(embedding.parameters(), lr=0.1, weight_decay=0.5)
    embedding(torch.tensor([0])).sum().backward()
    optimizer.step()
    name = optimizer_class.__name__
    print(f"{name}, weight:", embedding.weight.detach().flatten())
