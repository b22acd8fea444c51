import torch

a = 1 - 2j
w = torch.tensor(1 + 2j, requires_grad=True)
loss = (a * w).real
loss.backward()
with torch.no_grad():
    along = (a * (w - 0.1 * w.grad)).real
    along_conj = (a * (w - 0.1 * w.grad.conj())).real
print("loss:", round(loss.item(), 4))
print("after w - 0.1 * grad:", round(along.item(), 4))
print("after w - 0.1 * grad.conj():", round(along_conj.item(), 4))
