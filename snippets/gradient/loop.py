import torch

x = torch.tensor([1.0, 2.0, -1.0, -2.0])
y = torch.tensor([3.0, 5.0, -1.0, -3.0])
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
for step in (1, 2, 3):
    optimizer.zero_grad()
    prediction = w * x + b
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"step {step}, loss:", round(loss.item(), 4))
    print("  gradient of w:", round(w.grad.item(), 4))
    print("  gradient of b:", round(b.grad.item(), 4))
    print("  new w:", round(w.item(), 4))
    print("  new b:", round(b.item(), 4))
