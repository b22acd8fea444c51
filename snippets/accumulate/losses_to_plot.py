import torch

w = torch.tensor(1.0, requires_grad=True)
losses, numbers = [], []

for step in range(3):
    loss = (w * step) ** 2
    losses.append(loss)
    numbers.append(loss.item())

try:
    losses[2].numpy()
except RuntimeError as error:
    print("RuntimeError:", error)

print("detached to plot:", losses[2].detach().numpy())
print("afterward, losses[2].grad_fn:", losses[2].grad_fn.name())
print("numbers:", numbers)
