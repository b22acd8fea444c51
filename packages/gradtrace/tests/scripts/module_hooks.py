"""Hooks that watch a network and change what flows: on modules, tensors and parameters."""

import torch
from torch import nn

torch.manual_seed(27)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh())
        self.head = nn.Linear(10, 2)

    def forward(self, x):
        return self.head(self.body(x))


def keep_activation(name):
    def hook(module, inputs, output):
        activations[name] = output.detach().norm().item()

    return hook


def show_gradient(module, grad_input, grad_output):
    print(f"gradient at the head: {grad_output[0].norm():.4f} -> {grad_input[0].norm():.4f}")


def halve(grad):
    return grad * 0.5


def count_ready(p):
    ready.append(tuple(p.shape))


model, activations, ready = Net(), {}, []
handles = [
    module.register_forward_hook(keep_activation(name))
    for name, module in model.named_modules()
    if isinstance(module, nn.Linear)
]
handles.append(model.head.register_full_backward_hook(show_gradient))
handles.append(model.body[0].bias.register_hook(halve))
handles += [p.register_post_accumulate_grad_hook(count_ready) for p in model.parameters()]

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(9, 6), torch.randint(0, 2, (9,))
for step in range(3):
    optimizer.zero_grad()
    ready.clear()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}, {len(ready)} gradients, the first {ready[0]}")
    print({name: round(norm, 4) for name, norm in activations.items()})
    print("model.body.0.bias.grad", model.body[0].bias.grad)
    print("model.head.bias.grad", model.head.bias.grad)
for handle in handles:
    handle.remove()
loss = nn.functional.cross_entropy(model(x), y)
optimizer.zero_grad()
loss.backward()
print("without hooks:")
print("model.body.0.bias.grad", model.body[0].bias.grad)
