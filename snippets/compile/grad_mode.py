import torch
from torch import nn
from torch._dynamo.utils import counters

net = nn.Linear(2, 1)
compiled = torch.compile(net)
x = torch.ones(4, 2)
torch.compiler.reset()
counters.clear()


def report(name):
    print(f"{name}: {counters['stats']['unique_graphs']} compiled")


compiled(x).sum().backward()
report("training")
with torch.no_grad():
    compiled(x)
report("no_grad()")
compiled(x).sum().backward()
with torch.no_grad():
    compiled(x)
report("both once more")
with torch.inference_mode():
    compiled(x)
report("inference_mode()")
net.weight.requires_grad_(False)
compiled(x).sum().backward()
report("weight frozen")
