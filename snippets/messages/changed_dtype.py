import torch
from torch.utils.checkpoint import CheckpointError, checkpoint

settings = {"dtype": torch.bfloat16}
w = torch.tensor(0.0, requires_grad=True)


def block(x, dtype):
    return x.to(dtype).exp()


y = checkpoint(lambda x: block(x, settings["dtype"]), w, use_reentrant=False)
settings["dtype"] = torch.float32
try:
    y.backward()
except CheckpointError as error:
    print("setting read inside:", str(error).splitlines()[0])

settings["dtype"] = torch.bfloat16
y = checkpoint(block, w, settings["dtype"], use_reentrant=False)
settings["dtype"] = torch.float32
y.backward()
print("passed as an argument, w.grad:", w.grad)
