import torch
import torch.nn.functional as F

kernel = torch.tensor([[[1.0, 2.0, 3.0]]])
how = {"stride": 3, "padding": 2, "dilation": 2}
x = torch.zeros(1, 1, 9, requires_grad=True)
y = F.conv1d(x, kernel, **how)
g = torch.tensor([[[1.0, 10.0, 100.0]]])
y.backward(g)
left = (9 + 2 * 2 - 2 * (3 - 1) - 1) % 3
print("outputs:", y.shape[-1], "left over:", left)
print("x.grad:", x.grad[0, 0])
back = F.conv_transpose1d(g, kernel, output_padding=left, **how)
print("conv_transpose1d:", back[0, 0])
