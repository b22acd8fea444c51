import weakref

import torch

w = torch.tensor(1.0, requires_grad=True)


def run(retain_graph, keep):
    kept, saved = [], []
    for _ in range(3):
        middle = torch.ones(2) * w
        saved.append(weakref.ref(middle))
        loss = (middle**2).sum()
        loss.backward(retain_graph=retain_graph)
        if keep:
            kept.append(loss)
        del middle
        print("  saved tensors alive:", sum(ref() is not None for ref in saved))


print("retain_graph=True, loss overwritten:")
run(True, keep=False)
print("retain_graph=True, loss kept in a list:")
run(True, keep=True)
print("no retain_graph, loss kept in a list:")
run(False, keep=True)
