import torch
from torch.func import jacfwd, jacrev, jvp, vjp


def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])


x = torch.tensor([2.0, 5.0])

for direction in ([1.0, 0.0], [0.0, 1.0]):
    _, column = jvp(f, (x,), (torch.tensor(direction),))
    print("jvp", direction, "column:", column)

y, pull_back = vjp(f, x)
for upstream in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
    (row,) = pull_back(torch.tensor(upstream))
    print("vjp", upstream, "row:", row)

print("jacfwd:")
print(jacfwd(f)(x))
print("jacrev the same:", torch.equal(jacfwd(f)(x), jacrev(f)(x)))
