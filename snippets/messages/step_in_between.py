import torch
from torch import nn

layer = nn.Linear(3, 2)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
x = torch.ones(1, 3, requires_grad=True)
loss = layer(x).sum()
loss.backward(retain_graph=True)
optimizer.step()
try:
    loss.backward()
except RuntimeError as error:
    print("old loss:", str(error).split(": ")[1].removesuffix(" Hint"))

x.grad = None
layer(x).sum().backward()
print("new loss, x.grad is right:", torch.allclose(x.grad[0], layer.weight.sum(0)))
