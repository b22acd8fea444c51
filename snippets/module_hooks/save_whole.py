import io
import pickle

import torch
from torch import nn


def double(module, args, output):
    return 2 * output


def with_hook(hook):
    net = nn.Linear(1, 1, bias=False)
    nn.init.ones_(net.weight)
    net.register_forward_hook(hook)
    return net


x = torch.tensor([3.0])
file = io.BytesIO()
net = with_hook(lambda module, args, output: 2 * output)
try:
    torch.save(net, file)
except (pickle.PicklingError, AttributeError) as error:
    print("a lambda:", str(error).split(" at ")[0])

file = io.BytesIO()
torch.save(net.state_dict(), file)
file.seek(0)
fresh = nn.Linear(1, 1, bias=False)
fresh.load_state_dict(torch.load(file))
print("state_dict, no hook:", fresh(x).item())

file = io.BytesIO()
torch.save(with_hook(double), file)
file.seek(0)
loaded = torch.load(file, weights_only=False)
print("double, with its hook:", loaded(x).item())
