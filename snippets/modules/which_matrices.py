from torch import nn

net = nn.ModuleDict(
    {
        "words": nn.Embedding(10, 4),
        "conv": nn.Conv1d(4, 4, 3),
        "norm": nn.LayerNorm(4),
        "hidden": nn.Linear(4, 4),
        "head": nn.Linear(4, 10),
    }
)
for name, p in net.named_parameters():
    print(name, p.ndim, "matrix" if p.ndim == 2 else "")
