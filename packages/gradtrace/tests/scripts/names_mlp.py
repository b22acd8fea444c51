"""The next letter of a name from the three before it: plain tensors, updates by hand."""

import torch
import torch.nn.functional as F

names = ["anna", "bob", "carla", "dana", "emil", "fritz", "greta", "hanna", "ida", "jonas", "otto"]
letters = [".", *sorted(set("".join(names)))]
number = {letter: i for i, letter in enumerate(letters)}
CONTEXT = 3

inputs, targets = [], []
for name in names:
    context = [0] * CONTEXT
    for letter in name + ".":
        inputs.append(context)
        targets.append(number[letter])
        context = [*context[1:], number[letter]]
X, Y = torch.tensor(inputs), torch.tensor(targets)

g = torch.Generator().manual_seed(2147483647)
size = len(letters)
C = torch.randn((size, 2), generator=g)
W1 = torch.randn((2 * CONTEXT, 24), generator=g) * (5 / 3) / (2 * CONTEXT) ** 0.5
b1 = torch.randn(24, generator=g) * 0.01
W2 = torch.randn((24, size), generator=g) * 0.1
b2 = torch.zeros(size)
parameters = [C, W1, b1, W2, b2]
for p in parameters:
    p.requires_grad = True

for step in range(8):
    batch = torch.randint(0, len(X), (32,), generator=g)
    embedded = C[X[batch]]
    hidden = torch.tanh(embedded.view(-1, 2 * CONTEXT) @ W1 + b1)
    logits = hidden @ W2 + b2
    loss = F.cross_entropy(logits, Y[batch])

    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -0.1 * p.grad

    print(f"{step}: {loss.item():.4f}")
    print("b1.grad", b1.grad)
    print("b2.grad", b2.grad)
    print(f"C.grad.norm() {C.grad.norm():.4f}")
