import gradtrace
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 3)
        self.middle = nn.Linear(3, 3)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        code = torch.tanh(self.encoder(x))
        return self.head(code.detach())


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
target = torch.tensor([[1.0], [1.0], [0.0]])

with gradtrace.record(net, opt) as trace:
    for step in range(3):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), target)
        loss.backward()
        opt.step()
        print(f"step {step}, loss: {loss.item():.4f}")

print(trace.report("en", name="doctor.py"))
