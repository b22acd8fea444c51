import torch
from torch import nn

torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
for kind in (nn.ReLU, nn.LeakyReLU):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 32), kind(), nn.Linear(32, 32), kind(), nn.Linear(32, 1))
    nn.functional.mse_loss(net(x), y).backward()
    stopped = (net[2].weight.grad == 0).all(1).sum()
    print(f"{kind.__name__}, units whose weights get exactly 0: {stopped} of 32")
