import torch

a = torch.tensor(2.0, requires_grad=True)
b = a**2

try:
    b.requires_grad = False
except RuntimeError as error:
    print("assign False:", str(error).split(". ")[0])
try:
    b.requires_grad = True
except RuntimeError as error:
    print("assign True:", error)

print("call requires_grad_(True):", b.requires_grad_(True).requires_grad)
try:
    b.requires_grad_(False)
except RuntimeError as error:
    print("call requires_grad_(False):", str(error).split(". ")[0])
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as error:
    print("integers:", error)
