import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

for step in range(20):
    optimizer.zero_grad()
    for part, target in zip(x.chunk(8), y.chunk(8), strict=True):
        loss = ((model(part) - target) ** 2).mean()
        (loss / 8).backward()
    if step == 0:
        whole = torch.autograd.grad(((model(x) - y) ** 2).mean(), model.weight)[0]
        ratio = (model.weight.grad / whole).mean()
        print(f"gradient of the parts / of the whole: {ratio.item():.2f}")
    optimizer.step()
    if step % 5 == 4:
        print(f"step {step + 1}, loss: {loss.item():.0e}")
