import torch
from torch import nn

w = torch.ones(2, requires_grad=True)
print("w.to('cpu') is w:", w.to("cpu") is w)
print("w.float() is w:", w.float() is w)
print("w.to('meta').is_leaf:", w.to("meta").is_leaf)
print("w.double().is_leaf:", w.double().is_leaf)
print("w.clone().is_leaf:", w.clone().is_leaf)
print("w.reshape(2, 1).is_leaf:", w.reshape(2, 1).is_leaf)

layer = nn.Linear(2, 1)
weight = layer.weight
layer.double()
print("after layer.double(), same object:", layer.weight is weight)
print("after layer.double(), is_leaf:", layer.weight.is_leaf)
