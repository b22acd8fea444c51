import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(1, 1, bias=False)]
        self.head = nn.Linear(1, 1, bias=False)
        self.shift = torch.tensor(1.0, requires_grad=True)

    def forward(self, x):
        h = self.hidden[0](x)
        return self.head(h) + self.shift


net = Net()
hidden = net.hidden[0]
nn.init.constant_(hidden.weight, 2.0)
nn.init.constant_(net.head.weight, 3.0)
names = [name for name, _ in net.named_parameters()]
print("parameters():", names)

optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
loss = net(torch.ones(1)).sum()
loss.backward()
print("hidden.weight.grad:", hidden.weight.grad.item())
print("shift.grad:", net.shift.grad.item())
print("head.weight.grad:", net.head.weight.grad.item())
optimizer.step()
print("hidden.weight:", hidden.weight.item())
print("shift:", net.shift.item())
print("head.weight:", net.head.weight.item())
