import torch
from torch import nn

layer = nn.Linear(3, 2)
weight = layer.weight
x = torch.ones(1, 3, requires_grad=True)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

loss = layer(x).sum()
print("weight:", list(weight.shape), "version", weight._version)
loss.backward(retain_graph=True)
optimizer.step()
print("after step(): version", weight._version)

try:
    loss.backward()
except RuntimeError as error:
    message = str(error).split(": ")[1]
    print(message.removesuffix(" Hint"))
