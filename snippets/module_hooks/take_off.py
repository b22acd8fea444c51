import torch
from torch import nn

net = nn.Linear(1, 1)
x = torch.ones(1, 1)
fired = []


def count(module, args, output):
    fired.append("hook")


def times():
    fired.clear()
    net(x)
    return len(fired)


print("before:", times())
handle = net.register_forward_hook(count)
print("registered:", times())
handle.remove()
print("removed:", times())
with net.register_forward_hook(count):
    print("inside with:", times())
print("after with:", times())
