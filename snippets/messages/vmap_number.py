import torch
from torch.func import vmap

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
try:
    vmap(lambda row: row * row.max().item())(x)
except RuntimeError as error:
    print("item():", str(error).split(", please")[0])

print("a tensor:", vmap(lambda row: row * row.max())(x).tolist())
