import torch

leaf = torch.tensor(2.0, requires_grad=True)
constant = torch.tensor(3.0)
middle = leaf * constant

print("leaf.retain_grad():", leaf.retain_grad(), " leaf.retains_grad:", leaf.retains_grad)
print("middle.retain_grad():", middle.retain_grad(), " middle.retains_grad:", middle.retains_grad)
try:
    constant.retain_grad()
except RuntimeError as error:
    print("constant.retain_grad():", error)
