import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        return self.outer(self.inner(x).relu())


fired = []
net = Net()
compiled = torch.compile(net, backend="eager")
compiled(torch.ones(1, 2))
net.inner.register_forward_hook(lambda *args: fired.append(1))

compiled(torch.ones(1, 2))
print(f"1 row: fired {len(fired)}")
fired.clear()
compiled(torch.ones(3, 2))
print(f"3 rows: fired {len(fired)}")
fired.clear()
compiled(torch.ones(1, 2))
print(f"1 row again: fired {len(fired)}")
