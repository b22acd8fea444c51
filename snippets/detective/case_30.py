import torch
from torch import nn

torch.manual_seed(0)
text = torch.tensor([0, 1, 2, 3, 4, 5] * 6)
before, after = text[:-1], text[1:]
embedding = nn.Embedding(6, 8)
mixer = nn.Linear(8, 8)
head = nn.Linear(8, 6, bias=False)
head.weight = nn.Parameter(embedding.weight.detach().clone())
tied = [*embedding.parameters(), *mixer.parameters(), *head.parameters()]
parameters = list({id(p): p for p in tied}.values())
optimizer = torch.optim.SGD(parameters, lr=1.0)
parts = [slice(0, 5), slice(5, 35)]
longest = 0.0

for _ in range(300):
    optimizer.zero_grad()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    for part in parts:
        scores = head(mixer(embedding(before[part])))
        loss = nn.functional.cross_entropy(scores, after[part]) / 2
        loss.backward()
    norm = nn.utils.get_total_norm([p.grad for p in parameters])
    longest = max(longest, norm.item())
    optimizer.step()

print(f"longest gradient that a step used: {longest:.2f}")
different = (head.weight - embedding.weight).abs().max()
print(f"embedding and head differ by {different.item():.1f}")
