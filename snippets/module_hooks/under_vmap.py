import torch
from torch import nn
from torch.func import functional_call, grad, vmap

net = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0]]))
fired = []
net.register_forward_hook(lambda m, args, out: fired.append(args[0].shape))


def loss(parameters, x):
    return functional_call(net, parameters, (x,)).square().sum()


parameters = dict(net.named_parameters())
x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
per_sample = vmap(grad(loss), in_dims=(None, 0))
print("gradient of each sample:")
print(per_sample(parameters, x)["weight"].detach().squeeze(1))
print("hook fired:", len(fired), "time, shape of x inside:", tuple(fired[0]))

net.register_full_backward_hook(lambda m, grad_input, grad_output: None)
try:
    per_sample(parameters, x)
except RuntimeError as error:
    print("full backward hook: RuntimeError:", str(error).split(". ")[0])
