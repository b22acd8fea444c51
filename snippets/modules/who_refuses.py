import torch
from torch import nn


def step(name, optimizer_class, sparse, **options):
    table = nn.Embedding(5, 2, sparse=sparse)
    optimizer = optimizer_class(table.parameters(), **options)
    table(torch.tensor([1, 3, 3])).sum().backward()
    try:
        optimizer.step()
        print(f"{name}: takes it")
    except RuntimeError as error:
        print(f"{name}: {error}")


optim = torch.optim
step("SGD", optim.SGD, True)
step("SparseAdam", optim.SparseAdam, True)
step("Adam", optim.Adam, True)
step("AdamW", optim.AdamW, True)
step("RMSprop", optim.RMSprop, True)
step("SGD with decay", optim.SGD, True, weight_decay=0.1)
print("sparse=False")
step("SparseAdam", optim.SparseAdam, False)
