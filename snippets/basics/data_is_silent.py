import torch

w = torch.tensor(3.0, requires_grad=True)
y = w**2
w.data.fill_(5.0)
y.backward()
print("y:", y.item())
print("after .data, w.grad:", w.grad)

w = torch.tensor(3.0, requires_grad=True)
y = w**2
with torch.no_grad():
    w.fill_(5.0)
try:
    y.backward()
except RuntimeError as error:
    print("after no_grad:", str(error).split(": ")[0])
