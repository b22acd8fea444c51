import torch
from torch import nn

layer = nn.Linear(2, 2, bias=False)
x = torch.ones(1, 3, 2) * 1
y = layer(x)


def tell(node):
    tensors = [n for n in dir(node) if n.startswith("_saved") and "sym" not in n]
    print(node.name(), "saved", tensors)


view = y.grad_fn
product = view.next_functions[0][0]
tell(view)
tell(product)

x += 1
try:
    y.sum().backward()
except RuntimeError as error:
    print("after x += 1:", str(error)[:73])
