import torch
from torch import nn

model = nn.Sequential(nn.Linear(1, 1), nn.Tanh())
kept = []
handle = model[0].register_forward_hook(lambda module, args, output: print(output))
try:
    torch.compile(model, backend="eager", fullgraph=True)(torch.ones(1))
except RuntimeError as error:
    print("print in the hook:", str(error).splitlines()[0])

handle.remove()
model[0].register_forward_hook(lambda module, args, output: kept.append(output))
torch.compile(model, backend="eager", fullgraph=True)(torch.ones(1))
print("append in the hook, outputs kept:", len(kept))
