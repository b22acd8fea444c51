import torch
from torch import nn


class Softened(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        weights = torch.softmax(self.scores, dim=0)
        return (weights * x).sum()


net = Softened()
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
loss = net(torch.tensor([4.0, 8.0]))
loss.backward()
print("loss:", loss.item())
print("scores.grad:", net.scores.grad)
optimizer.step()
print("scores:", net.scores.data)
print("loss after:", round(net(torch.tensor([4.0, 8.0])).item(), 4))
