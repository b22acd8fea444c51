import matplotlib.pyplot as plt
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = (w - 5) ** 2
loss.backward()
slope = w.grad.item()
print("loss:", loss.item())
print("slope:", slope)

guesses = [tenth / 10 for tenth in range(101)]
losses = [(guess - 5) ** 2 for guess in guesses]
ends = [w.item() - 1, w.item() + 1]
heights = [loss.item() - slope, loss.item() + slope]
plt.plot(guesses, losses, label="loss")
plt.plot(ends, heights, label="slope at w")
plt.plot(w.item(), loss.item(), "o", color="C1")
plt.xlim(0, 10)
plt.ylim(-5, 25)
plt.xlabel("w")
plt.legend(loc="upper center")
plt.show()
