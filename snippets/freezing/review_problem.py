import torch
from torch import nn

adapter = nn.Linear(1, 1, bias=False)
norm = nn.BatchNorm1d(1, eps=1e-20, momentum=0.5, affine=False)
layer = nn.Linear(1, 1, bias=False)
head = nn.Linear(1, 1, bias=False)
nn.init.constant_(adapter.weight, 2.0)
nn.init.constant_(layer.weight, 3.0)
nn.init.constant_(head.weight, 5.0)
encoder = nn.Sequential(norm, layer)
model = nn.Sequential(adapter, encoder, head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.tensor([[1.0], [3.0]])

model.train()
optimizer.zero_grad()
adapted = adapter(x)
with torch.no_grad():
    code = encoder(adapted)
loss = head(code).mean()
loss.backward()
optimizer.step()

print("adapter, gradient:", adapter.weight.grad)
print("adapter, weight:", adapter.weight.item())
print("encoder, weight:", layer.weight.item())
print("encoder, running mean:", norm.running_mean.item())
