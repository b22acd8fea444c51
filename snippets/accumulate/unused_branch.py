import torch


def gradient(branches, used):
    w = torch.tensor(1.0, requires_grad=True)
    y1 = 2 * w + 1
    outputs = [k * y1 for k in range(2, 2 + branches)]
    loss = sum(output**2 for output in outputs[:used])
    loss.backward()
    return w.grad


for branches in (1, 2, 5):
    print(f"{branches} branches, one used, w.grad:", gradient(branches, 1))
for branches in (1, 2, 5):
    print(f"{branches} branches, all used, w.grad:", gradient(branches, branches))
