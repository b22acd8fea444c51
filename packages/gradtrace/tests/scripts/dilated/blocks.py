import torch
from torch import nn
from torch.nn import functional as F


class CausalConv(nn.Conv1d):
    """A convolution that sees nothing of what comes later."""

    def forward(self, x):
        reach = self.dilation[0] * (self.kernel_size[0] - 1)
        return super().forward(F.pad(x, (reach, 0)))


class GatedBlock(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.filter = CausalConv(channels, channels, 2, dilation=dilation)
        self.gate = CausalConv(channels, channels, 2, dilation=dilation)
        self.mix = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        out = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        out = self.mix(out)
        return x + out, out
