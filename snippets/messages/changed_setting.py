import torch
from torch.utils.checkpoint import CheckpointError, checkpoint

settings = {"twice": True}
w = torch.tensor(0.0, requires_grad=True)


def block(x, twice):
    return x.exp().sin() if twice else x.exp()


y = checkpoint(lambda x: block(x, settings["twice"]), w, use_reentrant=False)
settings["twice"] = False
try:
    y.backward()
except CheckpointError as error:
    print("setting read inside:", str(error).splitlines()[0])

settings["twice"] = True
y = checkpoint(block, w, settings["twice"], use_reentrant=False)
settings["twice"] = False
y.backward()
print("passed as an argument, w.grad:", w.grad)
