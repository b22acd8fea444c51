import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([[1.0, 0.0], [1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
x.requires_grad_()

y = x @ w
(g,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
penalty = (g.norm() - 1) ** 2
loss = y.mean() + penalty
loss.backward()
print("penalty:", penalty.item())
print("w.grad:", w.grad)
