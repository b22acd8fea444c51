import torch
from torch import nn
from torch.func import functional_call, grad, vmap

net = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0]]))
calls = []
net.register_forward_hook(lambda m, args, y: calls.append(args[0].shape))

x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])
target = torch.tensor([[0.0], [1.0], [2.0], [1.0]])

loss = nn.functional.mse_loss(net(x), target)
loss.backward()
print("whole batch, .grad:", net.weight.grad[0])

calls.clear()
print("loop:")
for i in range(4):
    loss = nn.functional.mse_loss(net(x[i]), target[i])
    (g,) = torch.autograd.grad(loss, net.weight)
    print("  sample", i, "gradient:", g[0])
print("  forward calls:", len(calls))


def sample_loss(weights, x, target):
    y = functional_call(net, weights, (x,))
    return nn.functional.mse_loss(y, target)


calls.clear()
weights = {name: p.detach() for name, p in net.named_parameters()}
each = vmap(grad(sample_loss), in_dims=(None, 0, 0))
gradients = each(weights, x, target)["weight"]
print("vmap(grad), shape:", tuple(gradients.shape))
print(gradients[:, 0])
print("  forward calls:", len(calls))
