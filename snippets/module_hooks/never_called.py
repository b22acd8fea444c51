import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, call):
        super().__init__()
        self.norm = nn.LayerNorm(2)
        self.call = call

    def forward(self, x):
        if self.call:
            return self.norm(x)
        return F.layer_norm(x, (2,), self.norm.weight, self.norm.bias)


def run(call):
    block = Block(call)
    fired = []
    block.norm.register_forward_hook(lambda m, i, o: fired.append("forward"))
    block.norm.register_full_backward_hook(lambda m, i, o: fired.append("backward"))
    x = torch.tensor([[1.0, 3.0]], requires_grad=True)
    block(x).sum().backward()
    print(f"calls norm: {call}, bias.grad {block.norm.bias.grad.tolist()}, fired {fired}")


run(call=False)
run(call=True)
