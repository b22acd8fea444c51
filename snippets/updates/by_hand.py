import torch
from torch import nn

mse = nn.MSELoss()
lr = 1
hand = torch.tensor(1.0, requires_grad=True)
sgd = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([sgd], lr=lr)

for name, w in [("hand", hand), ("sgd", sgd)]:
    loss = mse(2 * w + 1, torch.tensor(1.0))
    loss.backward()
    print(f"{name}: loss={loss.item()} w.grad={w.grad.item()}")

with torch.no_grad():
    hand -= lr * hand.grad
optimizer.step()
print("by hand, w:", hand.item())
print("by SGD, w:", sgd.item())
