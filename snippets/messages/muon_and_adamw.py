import torch
from torch import nn

layers = nn.ModuleList([nn.Linear(3, 4), nn.Linear(4, 2)])
try:
    torch.optim.Muon(layers.parameters(), lr=0.1)
except ValueError as error:
    print("all parameters:", error)

hidden = [layers[0].weight]
others = [layers[0].bias, *layers[1].parameters()]
layers[1](layers[0](torch.ones(1, 3)).tanh()).sum().backward()
before = layers[0].weight.detach().clone()
torch.optim.Muon(hidden, lr=0.1).step()
torch.optim.AdamW(others, lr=0.001).step()
print("hidden weight moved:", not torch.equal(before, layers[0].weight))
