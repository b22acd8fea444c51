from torch import nn

one, two = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
net = nn.Sequential(one, two, one)
print("net.parameters():", len(list(net.parameters())))
print("layer by layer:", len([p for layer in net for p in layer.parameters()]))
