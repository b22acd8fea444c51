import torch


def forward(w):
    h = 2 * w
    gate = torch.sigmoid(h)
    value = torch.tanh(h)
    gate += 1
    return (gate * value).sum()


w = torch.tensor([0.5, 1.0], requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    forward(w).backward()
print("edits allowed, w.grad:", w.grad)

w.grad = None
h = 2 * w
gate = torch.sigmoid(h)
gate = gate + 1
(gate * torch.tanh(h)).sum().backward()
print("out of place,  w.grad:", w.grad)
