import torch
from torch.func import vmap
from torch.nn.functional import dropout

torch.manual_seed(0)
x = torch.ones(3, 100)
try:
    vmap(dropout)(x)
except RuntimeError as error:
    print("not passed:", str(error).split(". ")[0])

for randomness in ("different", "same"):
    rows = vmap(dropout, randomness=randomness)(x)
    print(f"{randomness}, first two rows equal:", torch.equal(rows[0], rows[1]))
