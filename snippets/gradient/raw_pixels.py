import torch

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
raw = torch.tensor(rows).float()
digit = torch.tensor([0.0, 0, 0, 1, 1, 1, 2, 2, 2])
for name, x in (("raw", raw), ("divided", raw / 9)):
    w = torch.zeros(16, requires_grad=True)
    for step in range(31):
        loss = (x @ w - digit).square().mean()
        loss.backward()
        if step in (0, 1, 2, 30):
            size = w.grad.norm()
            print(f"{name}, step {step}, norm: {size:.1e}")
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
