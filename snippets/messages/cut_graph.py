import torch

w = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():
    h = 3 * w
loss = h**2
try:
    loss.backward()
except RuntimeError as error:
    print("under no_grad:", error)
for name, tensor in [("loss", loss), ("h", h), ("w", w)]:
    print(f"{name}.requires_grad:", tensor.requires_grad)

h = 3 * w
(h**2).backward()
print("recorded, w.grad:", w.grad)
