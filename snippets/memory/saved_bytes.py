import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

torch.manual_seed(0)


def show(name, layer):
    x = torch.ones(64, 16, requires_grad=True)
    saved = {}

    def pack(tensor):
        saved[tensor.data_ptr()] = tensor.nbytes
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        y = layer(x)
    for weight in layer.parameters():
        saved.pop(weight.data_ptr(), None)
    places = {x.data_ptr(): "input", y.data_ptr(): "result"}
    for place, size in saved.items():
        what = places.get(place, "something else")
        print(f"{name:10} {what:15} {size} bytes")
    if not saved:
        print(f"{name:10} nothing")


show("Linear", nn.Linear(16, 16))
show("GELU", nn.GELU())
show("ReLU", nn.ReLU())
show("Softmax", nn.Softmax(dim=1))
show("Dropout", nn.Dropout(0.5))
show("LayerNorm", nn.LayerNorm(16))
show("MaxPool", nn.MaxPool1d(2))
show("Flatten", nn.Flatten())
