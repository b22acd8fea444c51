import torch


def report(grad):
    print("hook on x, mean of grad:", grad.mean())


torch.manual_seed(0)
coef = torch.nn.Parameter(torch.randn(1, 1, 40, 40))
x = torch.ones(1, 1, 40, 40, requires_grad=True)
x.register_hook(report)

a = coef * x
b = coef * x
loss = (a + 2 * b).mean()
loss.backward()
mean = coef.detach().mean()
print("3 * mean(coef) / 1600:", 3 * mean / 1600)
