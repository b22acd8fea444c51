import torch
from torch import nn

torch.manual_seed(0)


def train(label, net):
    x = torch.randn(5, 2)
    try:
        net(x).sum().backward()
        print(f"{label}: fine")
    except RuntimeError as error:
        print(f"{label}:", str(error).split(": ")[1].split("; ")[0])


class AddAfter(nn.Module):
    def __init__(self, last):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2), last)

    def forward(self, x):
        out = self.layers(x)
        out += x
        return out


linear, relu = nn.Linear(2, 2), nn.ReLU(inplace=True)
batch_norm = nn.BatchNorm1d(2)
train("Linear, ReLU(inplace)", nn.Sequential(linear, relu))
train("BatchNorm, ReLU(inplace)", nn.Sequential(linear, batch_norm, relu))
train("Sigmoid, ReLU(inplace)", nn.Sequential(linear, nn.Sigmoid(), relu))
train("BatchNorm, add after", AddAfter(nn.BatchNorm1d(2)))
train("ReLU, add after", AddAfter(nn.ReLU()))
