import torch


def write(x):
    total = torch.zeros(2)
    total[0] = x[0]
    return total


def add(x):
    return torch.zeros(2) + x


rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
try:
    torch.vmap(write)(rows)
except RuntimeError as error:
    print("written:", str(error).split(". ")[0])
print("added:", torch.vmap(add)(rows).tolist())
