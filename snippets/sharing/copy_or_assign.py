import copy

import torch
from torch import nn

one = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    one.weight.copy_(torch.tensor([[1.0, 2.0]]))
copied = copy.deepcopy(one)
tied = nn.Linear(2, 1, bias=False)
tied.weight = one.weight

print("copied: equal values:", torch.equal(copied.weight, one.weight))
print("copied: same object:", copied.weight is one.weight)
print("copied: same storage:", copied.weight.data_ptr() == one.weight.data_ptr())
print("tied: same object:", tied.weight is one.weight)
print("tied: same storage:", tied.weight.data_ptr() == one.weight.data_ptr())

optimizer = torch.optim.SGD(one.parameters(), lr=1)
one(torch.ones(1, 2)).sum().backward()
optimizer.step()
print("after step, one:", one.weight.data)
print("after step, copied:", copied.weight.data)
print("after step, tied:", tied.weight.data)


def show(name, tensor):
    place = f"offset {tensor.storage_offset()} stride {tensor.stride()}"
    print(f"{name}: {tensor.data} {place}")


print(f"storage: {one.weight.data} version {one.weight._version}")
show("one.weight", one.weight)
show("tied.weight", tied.weight)
print(f"its own storage: {copied.weight.data} version {copied.weight._version}")
show("copied.weight", copied.weight)
