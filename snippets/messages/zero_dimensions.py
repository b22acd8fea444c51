import torch

loss = torch.tensor(3.0)
try:
    len(loss)
except TypeError as error:
    print("len:", error)
try:
    list(loss)
except TypeError as error:
    print("list:", error)
print("numel:", loss.numel(), "reshape(-1):", list(loss.reshape(-1)))
