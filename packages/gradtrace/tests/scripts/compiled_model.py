"""A model and a loss under torch.compile, with the backend that runs the captured graph."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(29)


class GatedMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(6, 20)
        self.gate = nn.Linear(6, 20)
        self.down = nn.Linear(20, 3)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


model = GatedMLP()
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))


@torch.compile(backend="eager")
def loss_of(logits, targets):
    return F.cross_entropy(logits, targets) + 1e-3 * logits.pow(2).mean()


for step in range(3):
    optimizer.zero_grad()
    loss = loss_of(compiled(x), y)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
    print("model.down.bias.grad", model.down.bias.grad)
    print("model.gate.bias.grad", model.gate.bias.grad)
