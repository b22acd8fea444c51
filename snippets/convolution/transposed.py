import torch
import torch.nn.functional as F
from torch.nn.grad import conv2d_input

kernel = torch.arange(1.0, 10.0).view(1, 1, 3, 3)
g = torch.tensor([[[[1.0, 10.0], [100.0, 1000.0]]]])
how = {"stride": 2, "padding": 1}

for n in (3, 4):
    x = torch.zeros(1, 1, n, n, requires_grad=True)
    y = F.conv2d(x, kernel, **how)
    y.backward(g)
    left = (n + 2 * 1 - 3) % 2
    print("n:", n, "output:", y.shape[-1], "left over:", left)
    without = F.conv_transpose2d(g, kernel, **how)
    print("  without output_padding, size:", without.shape[-1])
    with_it = F.conv_transpose2d(g, kernel, output_padding=left, **how)
    print("  conv_transpose2d, equal:", with_it.equal(x.grad))
    print("  its last row:", with_it[0, 0, -1])
    by_size = conv2d_input(x.shape, kernel, g, **how)
    print("  conv2d_input, equal:", by_size.equal(x.grad))
