import torch
from torch.func import vmap
from torch.nn import functional as F

torch.manual_seed(0)


def noisy(x):
    return F.dropout(x, p=0.5)


x = torch.ones(4, 100)
try:
    vmap(noisy)(x)
except RuntimeError as error:
    print(str(error).split(". ")[0])

for randomness in ("different", "same"):
    torch.manual_seed(0)
    y = vmap(noisy, randomness=randomness)(x)
    alike = all(torch.equal(y[0], row) for row in y)
    print(f"{randomness}: all samples drop the same places:", alike)
