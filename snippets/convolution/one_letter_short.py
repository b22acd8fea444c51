import torch

w = torch.ones(2)
w.require_grad = True
print("w.require_grad:", w.require_grad)
print("w.requires_grad:", w.requires_grad)
try:
    w.sum().backward()
except RuntimeError as error:
    print("RuntimeError:", error)

try:
    torch.ones(2, require_grad=True)
except TypeError as error:
    print("TypeError:", str(error).partition(" (")[0])

try:
    w.require_grad_()
except AttributeError as error:
    print("AttributeError:", str(error).partition(". ")[0])
