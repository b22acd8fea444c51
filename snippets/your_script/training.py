import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
target = torch.tensor([[1.0], [1.0], [0.0]])

for step in range(2):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), target)
    loss.backward()
    opt.step()
    print(f"step {step}, loss: {loss.item():.4f}")
print("last layer, weight.grad:", net[2].weight.grad)
