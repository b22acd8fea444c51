import torch

a = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
b = torch.tensor([1.0, 1.0])
optimizer = torch.optim.Adam([a], lr=0.1)

distance = (a - b).square().sum().sqrt()
scores = a * 1
p = torch.softmax(scores, dim=0)
loss = distance - torch.log(p)[0]
loss.backward()
print(f"loss: {loss.item():.4f}")
print("a.grad:", a.grad.tolist())
optimizer.step()
print("a:", a.detach())
