"""An exponential moving average of the weights, kept beside the model and used to judge it."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(23)
model = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.Mish(), nn.Linear(24, 1))
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
optimizer = torch.optim.NAdam(model.parameters(), lr=5e-3)
weights = torch.randn(6, 1)
x = torch.randn(64, 6)
y = torch.tanh(x @ weights) + 0.1 * torch.randn(64, 1)

for step in range(5):
    batch = torch.randperm(64)[:16]
    loss = nn.functional.huber_loss(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update_parameters(model)
    ema.eval()
    with torch.no_grad():
        averaged = nn.functional.huber_loss(ema(x), y)
    print(f"step {step}: loss {loss.item():.4f}, averaged model {averaged.item():.4f}")
    print("model.3.bias.grad", model[3].bias.grad)
    print("model.1.weight.grad", model[1].weight.grad)
