import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(5.0, requires_grad=True)
y = a * b


def on_all(grads):
    print("  all:", grads)


handle = register_multi_grad_hook((a, b, c), on_all)

print("c not in the graph")
y.backward(retain_graph=True)
print("inputs=[a]")
y.backward(inputs=[a], retain_graph=True)
print("none of them in the graph")
torch.tensor(1.0, requires_grad=True).backward()
handle.remove()
print("removed")
y.backward()
