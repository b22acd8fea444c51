import matplotlib.pyplot as plt
import torch

x = torch.linspace(-4, 4, 81, requires_grad=True)
y = x.tanh()
y.sum().backward()

print("largest slope:", x.grad.max().item())
plt.plot(x.detach(), y.detach(), label="tanh")
plt.plot(x.detach(), x.grad, linestyle="dashed", label="its slope")
plt.legend()
plt.show()
