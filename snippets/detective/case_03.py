import torch

torch.manual_seed(0)
hours = torch.linspace(-1, 1, 10)
score = 4 * hours + 2
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for step in range(20):
    loss = ((w * hours + b - score) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w += 0.3 * w.grad
        b += 0.3 * b.grad
    w.grad = b.grad = None
    if step % 5 == 4:
        print(f"step {step + 1}, loss: {loss.item():.1e}")

print(f"w: {w.item():.1e}, b: {b.item():.1e}")
