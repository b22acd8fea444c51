import torch

row = torch.tensor([1.0])
wide = row.expand(3)
print("wide:", wide, "strides:", wide.stride())
try:
    wide += 1
except RuntimeError as error:
    print("wide += 1:", error)
wide[0] = 7.0
print("after wide[0] = 7, wide:", wide, "row:", row)

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
try:
    x[1:] += x[:-1]
except RuntimeError as error:
    print("x[1:] += x[:-1]:", error)
x[1:] += x[:-1].clone()
print("with clone(), x:", x)
