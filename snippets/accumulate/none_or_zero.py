import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=1.0)

(3 * w).backward()
print("after backward, w.grad:", w.grad)

optimizer.zero_grad()
print("zero_grad(), w.grad:", w.grad)
optimizer.step()
print("  after step, w:", w.item())

(3 * w).backward()
optimizer.zero_grad(set_to_none=False)
print("zero_grad(set_to_none=False), w.grad:", w.grad)
optimizer.step()
print("  after step, w:", round(w.item(), 4))
