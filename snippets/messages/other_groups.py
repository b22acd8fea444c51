import torch

a = torch.nn.Parameter(torch.tensor(1.0))
b = torch.nn.Parameter(torch.tensor(2.0))
together = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
apart = torch.optim.SGD([{"params": [a]}, {"params": [b]}], lr=0.1, momentum=0.9)
try:
    apart.load_state_dict(together.state_dict())
except ValueError as error:
    print("one group into two:", error)

same = torch.optim.SGD([a, b], lr=0.5, momentum=0.9)
same.load_state_dict(together.state_dict())
print("one into one, learning rate:", same.param_groups[0]["lr"])
