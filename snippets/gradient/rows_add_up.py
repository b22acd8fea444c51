import torch

bias = torch.tensor([0.0, 0.0], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
y = x + bias
factors = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
loss = (factors * y).sum()
loss.backward()

print("y:", y.detach().tolist())
print("bias.grad:", bias.grad)
