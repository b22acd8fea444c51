import torch
from torch import nn

torch.manual_seed(0)
maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
maker_optimizer = torch.optim.SGD(maker.parameters(), lr=0.01)
judge_optimizer = torch.optim.SGD(judge.parameters(), lr=0.01)
bce = nn.functional.binary_cross_entropy_with_logits
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
real = torch.randn(32, 2) + 3

for step in range(50):
    fake = maker(torch.randn(32, 2))
    judge_loss = bce(judge(real), ones) + bce(judge(fake.detach()), zeros)
    right = torch.autograd.grad(judge_loss, judge.weight, retain_graph=True)[0]
    judge_loss.backward()
    wrong_by = (judge.weight.grad - right).abs().max()
    judge_optimizer.step()
    judge_optimizer.zero_grad()
    maker_loss = bce(judge(fake), ones)
    maker_loss.backward()
    maker_optimizer.step()
    maker_optimizer.zero_grad()
    if step in (0, 1, 49):
        print(f"step {step + 1}, gradient of the judge is off by {wrong_by.item():.2f}")
