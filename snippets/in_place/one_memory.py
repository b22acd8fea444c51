import torch

row = torch.tensor([1.0])
wide = row.expand(3)
print(f"row: {row} version {row._version}")
print(f"wide: {wide} offset {wide.storage_offset()} stride {wide.stride()}")
try:
    wide += 1
except RuntimeError as error:
    print("wide += 1:", error)
wide[0] = 7.0
print(f"row: {row} version {row._version}")
print(f"wide: {wide} offset {wide.storage_offset()} stride {wide.stride()}")

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(f"x: {x} version {x._version}")
for name, part in (("x[1:]", x[1:]), ("x[:-1]", x[:-1])):
    print(f"{name}: {part} offset {part.storage_offset()} stride {part.stride()}")
try:
    x[1:] += x[:-1]
except RuntimeError as error:
    print("x[1:] += x[:-1]:", error)
x[1:] += x[:-1].clone()
print("with clone(), x:", x)
