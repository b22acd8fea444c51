import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(2.0))
        self.cache = None

    def forward(self):
        if self.cache is None:
            self.cache = torch.tensor(3.0)
        return self.w * self.cache


for mode in (torch.inference_mode, torch.no_grad):
    scale = Scale()
    with mode():
        scale()
    try:
        scale().backward()
        print(f"{mode.__name__} first, w.grad: {scale.w.grad}")
    except RuntimeError as error:
        print(f"{mode.__name__} first, RuntimeError:")
        print(" ", str(error).split(".")[0])
