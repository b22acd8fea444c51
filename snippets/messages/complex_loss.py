import torch

w = torch.tensor(1.0 + 2.0j, requires_grad=True)
try:
    (w**2).backward()
except RuntimeError as error:
    print("complex loss:", error)

loss = w.abs() ** 2
loss.backward()
print("real loss:", loss.item())
print("w.grad:", w.grad)
