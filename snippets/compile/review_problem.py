import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.inner.weight, 3.0)

    def forward(self, x):
        y = self.inner(x)
        return y, (y * 2).sum()


def show_output(module, args, output):
    print(f"output {output.item():g}")


def show_gradient(grad):
    print(f"gradient at y: {grad}")


x = torch.tensor([[2.0]])
net = Net()
compiled = torch.compile(net)
compiled(x)

net.inner.register_forward_hook(show_output)
y, loss = compiled(x)
y.register_hook(show_gradient)
loss.backward()
print(f"gradient of w: {net.inner.weight.grad.item():g}")
