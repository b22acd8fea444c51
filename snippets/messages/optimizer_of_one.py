import torch

w = torch.tensor(3.0, requires_grad=True)
try:
    torch.optim.SGD(w, lr=0.5)
except TypeError as error:
    print("w:", error)

optimizer = torch.optim.SGD([w], lr=0.5)
w.backward()
optimizer.step()
print("[w], after a step:", w.item())
