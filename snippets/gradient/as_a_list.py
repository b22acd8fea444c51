import torch

numbers = torch.tensor([3.0, 2.0], requires_grad=True)
ride = torch.tensor([2.0, 1.0])
guess = (numbers * ride).sum()
loss = (guess - 11) ** 2

loss.backward()
print("guess:", guess.item())
print("loss:", loss.item())
print("numbers.grad:", numbers.grad)
