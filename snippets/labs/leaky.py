import torch
from torch import nn

torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
for activation in (nn.ReLU, nn.LeakyReLU):
    torch.manual_seed(0)
    relus = activation(), activation()
    middle = nn.Linear(32, 32)
    net = nn.Sequential(nn.Linear(1, 32), relus[0], middle, relus[1], nn.Linear(32, 1))
    nn.functional.mse_loss(net(x), y).backward()
    stopped = (middle.weight.grad == 0).all(1).sum()
    print(f"{activation.__name__}, units whose weights get exactly 0: {stopped} of 32")
