import torch

leaf = torch.tensor(2.0, requires_grad=True)
constant = torch.tensor(3.0)
middle = leaf * constant

leaf.retain_grad()
print("leaf.retains_grad:", leaf.retains_grad)
middle.retain_grad()
print("middle.retains_grad:", middle.retains_grad)
try:
    constant.retain_grad()
except RuntimeError as error:
    print("constant.retain_grad():", error)
