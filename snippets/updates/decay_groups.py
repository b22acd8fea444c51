import torch
from torch import nn

for name in ("one group", "two groups"):
    embedding, norm, linear = nn.Embedding(3, 2), nn.LayerNorm(2), nn.Linear(2, 2)
    model = nn.Sequential(embedding, norm, linear)
    decay, no_decay = [], []
    for module in model.modules():
        for kind, p in module.named_parameters(recurse=False):
            nn.init.ones_(p)
            p.grad = torch.zeros_like(p)
            spared = isinstance(module, nn.Embedding | nn.LayerNorm) or kind == "bias"
            (no_decay if spared and name == "two groups" else decay).append(p)
    groups = [{"params": decay}, {"params": no_decay, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.1, weight_decay=1.0)
    for _ in range(2):
        optimizer.step()
    print(name)
    for part, p in model.named_parameters():
        print(f"  {part}: {p.flatten()[0]:.2f}")
