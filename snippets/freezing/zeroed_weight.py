import torch
from torch import nn

linear = nn.Linear(2, 1, bias=False)
linear.weight.detach().zero_()
print("weight:", linear.weight.data)
print("weight.is_leaf:", linear.weight.is_leaf)
print("weight.requires_grad:", linear.weight.requires_grad)

linear(torch.tensor([[3.0, 4.0]])).sum().backward()
print("weight.grad:", linear.weight.grad)
