import torch
from torch.autograd import forward_ad

x = torch.tensor(3.0)
one = torch.tensor(1.0)
try:
    forward_ad.make_dual(x, one)
except RuntimeError as error:
    print("outside:", error)
with forward_ad.dual_level():
    try:
        forward_ad.make_dual(torch.tensor(3), one)
    except ValueError as error:
        print("an integer:", error)
    y = forward_ad.make_dual(x, one) ** 2
    print("slope of x**2:", forward_ad.unpack_dual(y).tangent)
