import torch

w = torch.tensor(1.0, requires_grad=True)
losses = [3 * w, 3 * w, 3 * w, 3 * w]

for loss in losses:
    (loss / len(losses)).backward()
print("divided by 4, w.grad:", w.grad)

w.grad = None
for step, loss in enumerate([3 * w, 3 * w, 3 * w, 3 * w], 1):
    (loss / step).backward()
print("divided by 1, 2, 3, 4, w.grad:", w.grad)

w.grad = None
for loss in [3 * w, 3 * w, 3 * w, 3 * w]:
    w.grad = None
    (loss / 4).backward()
print("cleared before each, w.grad:", w.grad)
