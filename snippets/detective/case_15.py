import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 3)
y = x.sum(dim=1, keepdim=True)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
parameters = [*encoder.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.02, momentum=0.9)

for step in range(60):
    if step == 20:
        encoder.requires_grad_(False)
        frozen = encoder.weight.detach().clone()
    loss = ((head(encoder(x)) - y) ** 2).mean()
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    if step in (20, 40, 59):
        moved = (encoder.weight - frozen).abs().max()
        print(f"step {step + 1}, encoder moved: {moved.item():.3f}")
