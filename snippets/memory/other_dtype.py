import torch
from torch.utils.checkpoint import CheckpointError, checkpoint

settings = {"dtype": torch.bfloat16}


def block(x):
    return x.to(settings["dtype"]).exp()


x = torch.tensor(0.0, requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)
settings["dtype"] = torch.float32
try:
    y.backward()
except CheckpointError as error:
    for line in str(error).splitlines()[:4]:
        print(line)
