import torch

lr, mu = 0.1, 0.9
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=lr, momentum=mu, nesterov=True)
position, velocity = 1.0, 0.0
for step in (1, 2, 3):
    optimizer.zero_grad()
    (w**2 / 2).backward()
    optimizer.step()
    ahead = position + mu * velocity
    velocity = mu * velocity - lr * ahead
    position += velocity
    ahead = position + mu * velocity
    print(f"step {step}: torch={w.item():.4f} look-ahead={ahead:.4f}")
