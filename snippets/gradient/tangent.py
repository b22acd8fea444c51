import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
loss.backward()
print("loss:", loss.item())
print("slope:", w.grad.item())
