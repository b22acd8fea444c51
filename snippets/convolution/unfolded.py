import torch
import torch.nn.functional as F

x = torch.arange(1.0, 10.0).view(1, 1, 3, 3).requires_grad_()
kernel = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]], requires_grad=True)
g = torch.tensor([[1.0, 10.0, 100.0, 1000.0]])

windows = F.unfold(x, kernel_size=2)[0]
print("windows:")
print(windows.detach())
y = kernel.view(1, 4) @ windows
print("flat kernel times windows:", y.flatten().tolist())

y.backward(g)
print("kernel.grad:", kernel.grad.flatten().tolist())
print("g times transposed windows:", (g @ windows.T).flatten().tolist())
of_windows = kernel.detach().view(4, 1) @ g
folded = F.fold(of_windows, output_size=3, kernel_size=2)
print("folded:", folded.flatten().tolist())
print("x.grad:", x.grad.flatten().tolist())
