import torch

w = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(1.0, requires_grad=True)

y1 = 2 * w + 1
loss2 = (2 * y1) ** 2
loss3 = (v * y1) ** 2

loss2.backward()
print("after loss2, w.grad:", w.grad, " v.grad:", v.grad)
try:
    loss3.backward()
except RuntimeError as error:
    print("loss3:", str(error).split(" (")[0])
print("at the end, w.grad:", w.grad, " v.grad:", v.grad)
