import torch
from torch import nn
from torch._dynamo.utils import counters
from torch.autograd.graph import register_multi_grad_hook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
        self.inside = lambda y: None

    def forward(self, x):
        y = self.fc(x)
        self.inside(y)
        return y.square()


def run(register, early):
    torch.compiler.reset()
    counters.clear()
    fired = []
    net = Net()
    compiled = torch.compile(net, backend="eager")
    x = torch.ones(1, 1, requires_grad=True)
    for registers in (early, not early):
        if registers:
            register(net, lambda *args: fired.append(1))
        fired.clear()
        compiled(x).backward()
    return len(fired), sum(counters["graph_break"].values())


kinds = {
    "forward pre-hook": lambda net, hook: net.fc.register_forward_pre_hook(hook),
    "forward hook": lambda net, hook: net.fc.register_forward_hook(hook),
    "full backward pre-hook": lambda net, hook: net.fc.register_full_backward_pre_hook(hook),
    "full backward hook": lambda net, hook: net.fc.register_full_backward_hook(hook),
    "tensor hook on w": lambda net, hook: net.fc.weight.register_hook(hook),
    "post-accumulate": lambda net, hook: net.fc.weight.register_post_accumulate_grad_hook(hook),
    "multi-grad hook": lambda net, hook: register_multi_grad_hook([net.fc.weight], hook),
}
for kind, register in kinds.items():
    early, breaks = run(register, early=True)
    late, _ = run(register, early=False)
    print(f"{kind}: early {early}, late {late}, graph breaks {breaks}")
