import torch

layers = torch.nn.ModuleList([torch.nn.Linear(1, 1, bias=False), torch.nn.ReLU()])
torch.nn.init.constant_(layers[0].weight, 2.0)
x = torch.tensor([3.0])
try:
    layers(x)
except NotImplementedError as error:
    print("called:", error)

for layer in layers:
    x = layer(x)
print("one after another:", x.item())
