import torch

torch.manual_seed(0)
coef = torch.nn.Parameter(torch.randn(1, 1, 40, 40))
x = torch.ones(1, 1, 40, 40, requires_grad=True)
x.register_hook(lambda grad: print("hook on x, mean of grad:", grad.mean()))

a = coef * x
b = coef * x
loss = (a + 2 * b).mean()
loss.backward()
print("3 * mean(coef) / 1600:", (3 * coef.mean() / 1600).detach())
