# what rounding to bfloat16 does: about the last digits of the weights
import torch
from torch import nn

pictures = """
0651143213320550 0571062216320550 0670164106420560
0360176005600470 0180068004800180 0191178003800181
0380047017300582 0610034001500564 0730025004200762
"""
rows = [[int(n) for n in p] for p in pictures.split()]
x = torch.tensor(rows) / 9
y = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])
for dtype in (torch.float32, torch.bfloat16):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3)).to(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    before = model[0].weight.detach().clone()
    for _ in range(20):
        loss = nn.functional.cross_entropy(model(x.to(dtype)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    grad = model[0].weight.grad
    moved = (model[0].weight != before)[grad != 0].float().mean()
    print(f"{dtype}, grad: {grad.norm():.2f}, moved: {moved:.1f} of the weights")
