import torch

model = torch.nn.Linear(1, 1)
named = list(model.named_parameters())
try:
    torch.optim.SGD([named[0], model.bias], lr=0.1)
except ValueError as error:
    print("one name of two:", error)
optimizer = torch.optim.SGD(named, lr=0.1)
extra = torch.nn.Parameter(torch.tensor(1.0))
try:
    optimizer.add_param_group({"params": [extra]})
except ValueError as error:
    print("a group without:", " ".join(str(error).split()))
optimizer.add_param_group({"params": [("extra", extra)]})
print("names:", [group["param_names"] for group in optimizer.param_groups])
