import torch
from torch.autograd import gradcheck

x = torch.tensor([2.0], dtype=torch.float64)
try:
    gradcheck(torch.square, x)
except ValueError as error:
    print("x:", error)

x.requires_grad_()
print("with requires_grad_(), passed:", gradcheck(torch.square, x))
