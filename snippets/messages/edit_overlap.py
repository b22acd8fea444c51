import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
try:
    x[1:] += x[:-1]
except RuntimeError as error:
    print("x[:-1]:", str(error).split(". ")[0])

x[1:] += x[:-1].clone()
print("x[:-1].clone(), x:", x.tolist())
