import torch
from torch.func import jacfwd, jacrev


def distance(x):
    return torch.cdist(x, torch.zeros(1, 2))


x = torch.tensor([[3.0, 4.0]])
print("jacrev:", jacrev(distance)(x).flatten())
try:
    jacfwd(distance)(x)
except NotImplementedError as error:
    print("jacfwd:", str(error).splitlines()[0])
