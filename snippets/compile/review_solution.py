import torch
from torch import nn
from torch._dynamo.utils import counters


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.inner.weight, 3.0)

    def forward(self, x):
        y = self.inner(x)
        y.register_hook(keep_gradient)
        return y, (y * 2).sum()


outputs = []
gradients = []


def keep_output(module, args, output):
    outputs.append(output.detach())


def keep_gradient(grad):
    gradients.append(grad)


x = torch.tensor([[2.0]])
net = Net()
net.inner.register_forward_hook(keep_output)
counters.clear()
compiled = torch.compile(net)
y, loss = compiled(x)
loss.backward()
print(f"output {outputs[0].item():g}")
print(f"gradient at y: {gradients[0].item():g}")
print(f"gradient of w: {net.inner.weight.grad.item():g}")
print(f"graphs: {counters['stats']['unique_graphs']}")
