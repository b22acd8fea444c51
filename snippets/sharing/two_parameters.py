import torch
from torch import nn

w = torch.ones(2, 2)
encoder = nn.Parameter(w)
decoder = nn.Parameter(w.t())
print("same storage:", encoder.data_ptr() == decoder.data_ptr())
print("same object:", encoder is decoder)

x = torch.tensor([1.0, 2.0])
(decoder @ (encoder @ x)).sum().backward()
print("encoder.grad:", encoder.grad)
print("decoder.grad:", decoder.grad)

tied = nn.Parameter(torch.ones(2, 2))
(tied.t() @ (tied @ x)).sum().backward()
print("one parameter, tied.grad:", tied.grad)
