import matplotlib.pyplot as plt
import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[-2.0], [-1.0], [1.0], [2.0]])
y = torch.tensor([[4.0], [1.0], [1.0], [4.0]])
layers = [nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)]
model = nn.Sequential(*layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 100
for _ in range(steps):
    optimizer.zero_grad()
    prediction = model(x)
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print("last step, loss:", round(loss.item(), 3))
line = torch.linspace(-3, 3, 100).reshape(100, 1)
plt.plot(line, model(line).detach(), label="model")
plt.plot(x, y, "o", label="data")
plt.ylim(-1, 6)
plt.xlabel("x")
plt.legend(loc="upper center")
plt.show()
