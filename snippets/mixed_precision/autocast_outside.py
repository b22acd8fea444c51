import torch

first = torch.nn.Linear(2, 2)
second = torch.nn.Linear(2, 1)
x = torch.ones(1, 2)

with torch.autocast("cpu", dtype=torch.bfloat16):
    y = first(x)
    inside = second(y)
print(f"inside: {inside.dtype}")

try:
    second(y)
except RuntimeError as error:
    print(f"outside: {error}")

mended = second(y.float())
print(f"outside, y.float(): {mended.dtype}")
