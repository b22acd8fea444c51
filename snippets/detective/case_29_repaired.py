import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = 1e-7 * x.sum(dim=1, keepdim=True)
model = nn.Linear(4, 1, bias=False)
nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(200):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        prediction = model(x)
    loss = ((prediction.float() - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"largest gradient: {model.weight.grad.abs().max().item():.1e}")
print("weight times 10 million:", [round(w * 1e7, 1) for w in model.weight[0].tolist()])
