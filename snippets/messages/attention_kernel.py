import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

x = torch.tensor([[[[1.0], [2.0]]]], requires_grad=True)
y = scaled_dot_product_attention(x, x, x).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
try:
    torch.autograd.grad(slope.square().sum(), x)
except RuntimeError as error:
    print("fast kernel:", error)

with sdpa_kernel(SDPBackend.MATH):
    y = scaled_dot_product_attention(x, x, x).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(slope.square().sum(), x)
print("plain kernel:", second.flatten())
