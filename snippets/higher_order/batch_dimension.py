import torch
from torch import nn
from torch.func import vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()
images = torch.ones(5, 1, 4, 4)

try:
    vmap(net)(images)
except ValueError as error:
    print("vmap(net):", error)


def one(image):
    return net(image[None])[0]


print("image[None]:", tuple(vmap(one)(images).shape))
