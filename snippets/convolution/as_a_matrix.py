import torch
import torch.nn.functional as F

kernel = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
one_pixel_each = torch.eye(9).view(9, 1, 3, 3)
matrix = F.conv2d(one_pixel_each, kernel).flatten(1).T
print("matrix:")
print(matrix)

x = torch.arange(1.0, 10.0).view(1, 1, 3, 3).requires_grad_()
y = F.conv2d(x, kernel)
print("convolution:", y.flatten().tolist())
print("matrix times x:", (matrix @ x.flatten()).tolist())

g = torch.tensor([1.0, 10.0, 100.0, 1000.0])
y.backward(g.view(1, 1, 2, 2))
print("x.grad:", x.grad.flatten().tolist())
print("transposed matrix times g:", (matrix.T @ g).tolist())
transposed = F.conv_transpose2d(g.view(1, 1, 2, 2), kernel)
print("conv_transpose2d:", transposed.flatten().tolist())
