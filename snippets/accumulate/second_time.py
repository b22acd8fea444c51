import torch
from torch import nn

w = torch.tensor(1.0, requires_grad=True)
mse = nn.MSELoss()

y1 = 2 * w + 1
loss2 = mse(2 * y1, torch.tensor(0.0))
loss3 = mse(-y1, torch.tensor(0.0))

loss2.backward()
print("after loss2, w.grad:", w.grad)
try:
    loss3.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
print("at the end, w.grad:", w.grad)
