import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
total = 0
for x in (1.0, 3.0):
    y = w * x
    loss_a = (y - 2) ** 2
    loss_b = y**2
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    total = total + loss_a + loss_b
    print(f"after x = {x}, w.grad:", w.grad.item())
optimizer.step()
print("after step, w:", round(w.item(), 4))
print("total:", total)
