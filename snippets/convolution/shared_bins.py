import torch
import torch.nn.functional as F

row = torch.tensor([[1.0, 2.0, 4.0, 8.0, 16.0]], requires_grad=True)
two = F.adaptive_avg_pool1d(row, 2)
two.backward(torch.tensor([[3.0, 30.0]]))
print("two averages:", two.detach()[0])
print("row.grad:", row.grad[0])
