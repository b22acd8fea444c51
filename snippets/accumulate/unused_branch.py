import torch

for branches in (1, 2, 5):
    w = torch.tensor(1.0, requires_grad=True)
    y1 = 2 * w + 1
    outputs = [k * y1 for k in range(2, 2 + branches)]
    loss = outputs[0] ** 2
    loss.backward()
    print(f"branches: {branches}, losses: 1, w.grad: {w.grad}")
