import torch

x = torch.arange(1.0, 11.0)
w = torch.tensor(1.0, requires_grad=True)
(w * x).mean().backward()
print("one batch of 10, w.grad:", w.grad)

for name in ("divided by 3", "weighted by size"):
    w.grad = None
    for part in x.split(4):
        share = 1 / 3 if name == "divided by 3" else len(part) / 10
        ((w * part).mean() * share).backward()
    print(f"4, 4 and 2, {name}, w.grad:", w.grad)
