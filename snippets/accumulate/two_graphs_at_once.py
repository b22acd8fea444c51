import weakref

import torch

w = torch.tensor(1.0, requires_grad=True)


def forward(saved):
    middle = torch.ones(2) * w
    saved.append(weakref.ref(middle))
    loss = (middle**2).sum()
    print("  saved tensors alive:", sum(ref() is not None for ref in saved))
    return loss


def train(retain_graph, delete):
    saved = []
    for _ in range(3):
        loss = forward(saved)
        loss.backward(retain_graph=retain_graph)
        if delete:
            del loss


print("retain_graph=True:")
train(True, delete=False)
print("retain_graph=True, loss deleted:")
train(True, delete=True)
print("no retain_graph:")
train(False, delete=False)
