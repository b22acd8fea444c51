"""For each kind of finding a script that has the fault, and one nearly equal that hasn't.

The two are one text: a line that ends in `# fault` is in the first alone, one that ends in `# well`
in the second. Each begins with the imports of torch, and nothing is said of the time before.
"""

from __future__ import annotations

HEAD = """\
import copy
import torch
from torch import nn
import torch.nn.functional as F
"""

_TRAIN = """\
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
"""

CASES = {
    "backward-twice": """
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()  # fault
        loss.backward(retain_graph=True)  # well
        loss.backward()
    """,
    "stepped-before-backward": _TRAIN
    + """
        out = net(x)
        F.mse_loss(out, y).backward(retain_graph=True)
        optimizer.step()
        out = net(x)  # well
        out.sum().backward()
    """,
    "edited-in-place": """
        w = torch.ones(3, requires_grad=True)
        a = w.exp()
        a += 1  # fault
        a = a + 1  # well
        a.sum().backward()
    """,
    "graph-is-cut": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        h = h.detach()  # fault
        h.sum().backward()
    """,
    "nothing-requires-grad": """
        w = torch.ones(3)  # fault
        w = torch.ones(3, requires_grad=True)  # well
        (w * 2).sum().backward()
    """,
    "loss-is-no-tensor": """
        w = torch.ones(3, requires_grad=True)
        loss = (w * 2).sum()
        loss = loss.item()  # fault
        loss.backward()
    """,
    "not-a-scalar": """
        w = torch.ones(3, requires_grad=True)
        (w * 2).backward()  # fault
        (w * 2).sum().backward()  # well
    """,
    "wrong-seed-shape": """
        w = torch.ones(3, requires_grad=True)
        (w * 2).backward(torch.ones(2))  # fault
        (w * 2).backward(torch.ones(3))  # well
    """,
    "leaf-edited": """
        w = torch.ones(3, requires_grad=True)
        torch.set_grad_enabled(False)  # well
        w.mul_(2)
        torch.set_grad_enabled(True)
        w.sum().backward()
    """,
    "view-edited": """
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))  # fault
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())  # well
        net[0].register_full_backward_hook(lambda *_: None)
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
    """,
    "flag-on-non-leaf": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        h = h.detach()  # well
        h.requires_grad = False
        w.sum().backward()
    """,
    "not-in-graph": """
        w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        torch.autograd.grad(w.sum(), [w, v])  # fault
        torch.autograd.grad((w * v).sum(), [w, v])  # well
    """,
    "inference-tensor": """
        w = torch.ones(3, requires_grad=True)
        with torch.inference_mode():
            x = torch.ones(3) * 2
        x = x.clone()  # well
        (w * x).sum().backward()
    """,
    "non-leaf-optimized": """
        w = torch.ones(3, requires_grad=True) * 0.1  # fault
        w = (torch.ones(3) * 0.1).requires_grad_()  # well
        optimizer = torch.optim.SGD([w], lr=0.1)
        w.sum().backward()
        optimizer.step()
    """,
    "nothing-to-optimize": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Linear(2, 2)]  # fault
                self.layers = nn.ModuleList([nn.Linear(2, 2)])  # well

        optimizer = torch.optim.SGD(Net().parameters(), lr=0.1)
    """,
    "parameter-twice": """
        layer = nn.Linear(2, 2)
        groups = [{"params": layer.parameters()}, {"params": [layer.bias]}]  # fault
        groups = [{"params": [layer.weight]}, {"params": [layer.bias]}]  # well
        torch.optim.SGD(groups, lr=0.1)
    """,
    "closure-missing": """
        w = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.LBFGS([w])
        def closure():
            optimizer.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            return loss
        closure()
        optimizer.step()  # fault
        optimizer.step(closure)  # well
    """,
    "wrong-hook-return": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        h.register_hook(lambda grad: 0)  # fault
        h.register_hook(lambda grad: None)  # well
        h.sum().backward()
    """,
    "grad-is-none": """
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()  # well
        w.grad.zero_()
    """,
    "numpy-of-graph": """
        w = torch.ones(3, requires_grad=True)
        w.numpy()  # fault
        w.detach().numpy()  # well
    """,
    "copy-of-graph": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        copy.deepcopy(h)  # fault
        copy.deepcopy(h.detach())  # well
    """,
    "wrong-grad-assigned": """
        w = torch.ones(3, requires_grad=True)
        w.grad = torch.ones(2)  # fault
        w.grad = torch.ones(3)  # well
    """,
    "integers-need-no-grad": """
        w = torch.tensor([1, 2], requires_grad=True)  # fault
        w = torch.tensor([1.0, 2.0], requires_grad=True)  # well
        w.sum().backward()
    """,
    "batch-of-one": """
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        x = torch.ones(1, 2)  # fault
        x = torch.ones(2, 2)  # well
        net(x).pow(3).sum().backward()
    """,
    "dtypes-differ": """
        layer = nn.Linear(2, 2)
        x = torch.ones(4, 2, dtype=torch.float64)  # fault
        x = torch.ones(4, 2)  # well
        layer(x).sum().backward()
    """,
    "shapes-differ": """
        layer = nn.Linear(2, 2)
        layer(torch.ones(4, 3)).sum().backward()  # fault
        layer(torch.ones(4, 2)).sum().backward()  # well
    """,
    "carried-over": """
        cell = nn.RNNCell(2, 3)
        h = torch.zeros(4, 3)
        for step in range(2):
            h = cell(torch.randn(4, 2), h)
            h.pow(2).mean().backward()
            h = h.detach()  # well
    """,
    "leaf-replaced": """
        w = torch.ones(3, requires_grad=True)
        (w * w).sum().backward()
        w = w - 0.1 * w.grad  # fault
        with torch.no_grad():  # well
            w -= 0.1 * w.grad  # well
        w.grad.zero_()
    """,
    "gradient-without-graph": """
        critic = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        x = torch.randn(4, 2, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(x).sum(), x)  # fault
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)  # well
        (slope.norm(dim=1) - 1).pow(2).mean().backward()
    """,
    "scaler-out-of-order": _TRAIN
    + """
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
        scaler.scale(F.mse_loss(net(x), y)).backward()
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)  # fault
        scaler.step(optimizer)
        scaler.update()
    """,
    "half-gradients": """
        net = nn.Linear(3, 1).half()  # fault
        net = nn.Linear(3, 1)  # well
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
        scaler.scale(net(torch.ones(2, 3, dtype=net.weight.dtype)).sum()).backward()
        scaler.step(optimizer)
    """,
    "function-wrong-return": """
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.factor  # fault
                return grad * ctx.factor, None  # well

        Scale.apply(torch.ones(3, requires_grad=True), 2).sum().backward()
    """,
    "hook-refused": """
        x = torch.ones(3)  # fault
        x = torch.ones(3, requires_grad=True)  # well
        x.register_hook(lambda grad: None)
        (x * 2).sum().requires_grad_().backward()
    """,
    "resumed-otherwise": """
        net, other = nn.Linear(2, 2), nn.Linear(2, 2)
        state = torch.optim.SGD(net.parameters(), lr=0.1).state_dict()
        optimizer = torch.optim.SGD([other.weight], lr=0.1)  # fault
        optimizer = torch.optim.SGD(other.parameters(), lr=0.1)  # well
        optimizer.load_state_dict(state)
    """,
    "script-failed": """
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()
        open("no such file")  # fault
    """,
    "nan-in-forward": """
        w = torch.zeros(3, requires_grad=True)
        p = w * 2
        p = p + 1  # well
        loss = (p * torch.log(p)).sum()
        loss.backward()
    """,
    "nan-in-backward": """
        w = torch.zeros(3, requires_grad=True)
        h = w * 1
        h = h + 1  # well
        loss = torch.sqrt(h).sum()
        loss.backward()
    """,
    "nan-in-data": """
        w = torch.ones(3, requires_grad=True)
        x = torch.tensor([1.0, float("nan"), 2.0])  # fault
        x = torch.tensor([1.0, 3.0, 2.0])  # well
        loss = (w * x).sum()
        loss.backward()
    """,
    "nan-after-step": """
        w = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1e38)  # fault
        optimizer = torch.optim.SGD([w], lr=1e-3)  # well
        (100 * w).sum().backward()
        optimizer.step()
    """,
    "never-cleared": _TRAIN
    + """
        for step in range(4):
            optimizer.zero_grad()  # well
            for part in range(2):
                loss = F.mse_loss(net(x), y)
                loss.backward()
            optimizer.step()
    """,
    "never-stepped": _TRAIN
    + """
        for step in range(4):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step  # fault
            optimizer.step()  # well
    """,
    "no-backward": _TRAIN
    + """
        for step in range(3):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()  # well
            optimizer.step()
    """,
    "empty-step": _TRAIN
    + """
        for step in range(4):
            loss = F.mse_loss(net(x), y)
            optimizer.zero_grad()  # well
            loss.backward()
            optimizer.zero_grad()  # fault
            optimizer.step()
    """,
    "stepped-twice": _TRAIN
    + """
        for step in range(4):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.step()  # fault
    """,
    "optimizer-holds-old": """
        net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)  # fault
        net[2] = nn.Linear(8, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)  # well
        for step in range(2):
            optimizer.zero_grad()
            net(torch.randn(16, 3)).pow(2).mean().backward()
            optimizer.step()
    """,
    "clip-without-gradient": _TRAIN
    + """
        for step in range(3):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # fault
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # well
            optimizer.step()
    """,
    "clip-nothing": _TRAIN
    + """
        parameters = net.parameters()
        print(sum(p.numel() for p in parameters))
        parameters = list(net.parameters())  # well
        F.mse_loss(net(x), y).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    """,
    "steps-skipped": _TRAIN
    + """
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**60)  # fault
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)  # well
        for step in range(4):
            optimizer.zero_grad()
            scaler.scale(F.mse_loss(net(x).half().float(), y)).backward()
            scaler.step(optimizer)
            scaler.update()
    """,
    "clip-before-unscale": _TRAIN
    + """
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for step in range(3):
            optimizer.zero_grad()
            scaler.scale(F.mse_loss(net(x), y)).backward()
            scaler.unscale_(optimizer)  # well
            nn.utils.clip_grad_norm_(net.parameters(), 100.0)
            scaler.step(optimizer)
            scaler.update()
    """,
    "schedule-before-step": _TRAIN
    + """
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
        for step in range(2):
            schedule.step()  # fault
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
            schedule.step()  # well
    """,
    "learning-rate-zero": _TRAIN
    + """
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0)  # fault
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: n / 10)  # well
        for step in range(4):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
            schedule.step()
    """,
    "stands-still": """
        net = nn.Linear(8, 8).bfloat16()  # fault
        net = nn.Linear(8, 8)  # well
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-5)
        x = torch.randn(16, 8).to(net.weight.dtype)
        for step in range(4):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
    """,
    "update-too-large": """
        net = nn.Linear(8, 8)
        optimizer = torch.optim.Adam(net.parameters(), lr=1.0)  # fault
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)  # well
        for step in range(4):
            optimizer.zero_grad()
            net(torch.randn(16, 8)).pow(2).mean().backward()
            optimizer.step()
    """,
    "update-too-small": """
        net = nn.Linear(8, 8)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-9)  # fault
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)  # well
        for step in range(4):
            optimizer.zero_grad()
            net(torch.randn(16, 8)).pow(2).mean().backward()
            optimizer.step()
    """,
    "loss-grows": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=3.0)  # fault
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # well
        x, y = torch.randn(16, 3), torch.randn(16, 1)
        for step in range(6):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
    """,
    "loss-is-leaf": _TRAIN
    + """
        loss = F.mse_loss(net(x), y)
        loss = loss.detach().requires_grad_()  # fault
        loss.backward()
        optimizer.step()
    """,
    "parameter-detached": """
        first, second = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
        for step in range(2):
            optimizer.zero_grad()
            h = first(torch.randn(8, 3))
            h = h.detach()  # fault
            second(h).mean().backward()
            optimizer.step()
    """,
    "parameter-unused": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.a(x)  # fault
                return self.b(self.a(x))  # well

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()
    """,
    "parameter-off-path": """
        first, second = nn.Linear(3, 1), nn.Linear(3, 1)
        optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
        x = torch.randn(8, 3)
        a, b = first(x).mean(), second(x).mean()
        loss = a  # fault
        loss = a + b  # well
        loss.backward()
        optimizer.step()
    """,
    "not-in-optimizer": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net[1].parameters(), lr=0.1)  # fault
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # well
        for step in range(2):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
    """,
    "zero-gradient": _TRAIN
    + """
        for step in range(3):
            optimizer.zero_grad()
            out = net(x)
            out = out.clamp(5, 6)  # fault
            F.mse_loss(out, y).backward()
            optimizer.step()
    """,
    "dead-relu": """
        net = nn.Sequential(nn.Linear(3, 40), nn.ReLU(), nn.Linear(40, 1))
        with torch.no_grad():
            net[0].bias[:38] = -100  # fault
            net[0].bias[:10] = -100  # well
        net(torch.randn(32, 3)).mean().backward()
    """,
    "vanishing": """
        act = nn.Sigmoid  # fault
        act = nn.ReLU  # well
        layers = [part for _ in range(8) for part in (nn.Linear(16, 16), act())]
        net = nn.Sequential(*layers)
        net(torch.randn(32, 16)).pow(2).mean().backward()
    """,
    "exploding": """
        layers = nn.ModuleList(nn.Linear(64, 64) for _ in range(8))
        x = torch.randn(32, 64)
        for layer in layers:
            x = torch.sin(30 * layer(x))  # fault
            x = torch.sin(layer(x))  # well
        x.pow(2).mean().backward()
    """,
    "softmax-before-loss": """
        net = nn.Linear(4, 3)
        out = net(torch.randn(8, 4))
        out = out.softmax(dim=1)  # fault
        F.cross_entropy(out, torch.arange(8) % 3).backward()
    """,
    "no-log-before-nll": """
        net = nn.Linear(4, 3)
        out = net(torch.randn(8, 4))
        out = out.softmax(dim=1)  # fault
        out = out.log_softmax(dim=1)  # well
        F.nll_loss(out, torch.arange(8) % 3).backward()
    """,
    "sigmoid-before-loss": """
        net = nn.Linear(4, 1)
        out = net(torch.randn(8, 4))
        out = torch.sigmoid(out)  # fault
        nn.BCEWithLogitsLoss()(out, torch.ones(8, 1)).backward()
    """,
    "target-broadcast": """
        net = nn.Linear(4, 1)
        y = torch.randn(8)  # fault
        y = torch.randn(8, 1)  # well
        F.mse_loss(net(torch.randn(8, 4)), y).backward()
    """,
    "eval-left-on": """
        net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        x, y = torch.randn(16, 3), torch.randn(16, 1)
        for epoch in range(3):
            net.train()  # well
            for step in range(2):
                optimizer.zero_grad()
                F.mse_loss(net(x), y).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                F.mse_loss(net(x), y)
    """,
    "graph-grows": """
        cell, head = nn.RNNCell(3, 4), nn.Linear(4, 1)
        h = torch.zeros(2, 4)
        for step in range(4):
            h = cell(torch.randn(2, 3), h)
            head(h).pow(2).mean().backward(retain_graph=True)  # fault
            head(h).pow(2).mean().backward()  # well
            h = h.detach()  # well
    """,
    "running-loss": _TRAIN
    + """
        total = 0
        for step in range(4):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            total += loss  # fault
            total += loss.detach()  # well
    """,
    "hook-never-called": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        other = w * 3
        other.register_hook(lambda grad: None)  # fault
        h.register_hook(lambda grad: None)  # well
        h.sum().backward()
    """,
    "hook-sees-no-input": """
        net = nn.Linear(3, 1)
        net.register_full_backward_hook(lambda *_: None)
        net(torch.ones(2, 3)).sum().backward()  # fault
        net(torch.ones(2, 3, requires_grad=True)).sum().backward()  # well
    """,
    "hook-needs-tensor": """
        class Double(nn.Module):
            def forward(self, x):
                return [2 * x]  # fault
                return (2 * x,)  # well

        net = Double()
        net.register_full_backward_hook(lambda *_: None)
        net(torch.ones(3, requires_grad=True))[0].sum().backward()
    """,
    "old-hook": """
        class Net(nn.Module):
            def forward(self, x):
                return x.exp().sum()

        net = Net()
        net.register_backward_hook(lambda *_: None)  # fault
        net.register_full_backward_hook(lambda *_: None)  # well
        net(torch.ones(2, 3, requires_grad=True)).backward()
    """,
    "grad-of-non-leaf": """
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        h.retain_grad()  # well
        h.sum().backward()
        print(h.grad)
    """,
    "grad-of-parametrized": """
        from torch.nn.utils.parametrizations import orthogonal
        layer = orthogonal(nn.Linear(3, 3))
        layer(torch.randn(5, 3))[:, 0].pow(2).sum().backward()
        print(layer.weight.grad)  # fault
        print(layer.parametrizations.weight.original.grad)  # well
    """,
    "copied-tensor": """
        x = torch.ones(3)
        w = torch.ones(3, requires_grad=True)
        x = torch.tensor(x)  # fault
        x = x.clone()  # well
        (w * x).sum().backward()
    """,
    "checkpoint-without-grad": """
        from torch.utils.checkpoint import checkpoint
        net, head = nn.Linear(3, 3), nn.Linear(3, 1)
        h = checkpoint(net, torch.ones(2, 3), use_reentrant=True)  # fault
        h = checkpoint(net, torch.ones(2, 3), use_reentrant=False)  # well
        head(h).sum().backward()
    """,
    "hook-changed": """
        w = torch.ones(3, requires_grad=True)
        w.register_hook(lambda grad: grad * 2)  # fault
        w.register_hook(lambda grad: None)  # well
        w.sum().backward()
    """,
    "moves-without-gradient": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)  # fault
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # well
        for step in range(2):
            optimizer.zero_grad()
            (net(torch.randn(8, 3)) * 0).mean().backward()
            optimizer.step()
    """,
    "retained-for-nothing": _TRAIN
    + """
        for step in range(3):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward(retain_graph=True)  # fault
            F.mse_loss(net(x), y).backward()  # well
            optimizer.step()
    """,
    "frozen": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        net[0].requires_grad_(False)  # fault
        net(torch.randn(8, 3)).mean().backward()
    """,
    "shared": """
        first, second = nn.Linear(3, 3), nn.Linear(3, 3)
        second.weight = first.weight  # fault
        second(first(torch.randn(8, 3))).mean().backward()
    """,
    "clipped-hard": _TRAIN
    + """
        for step in range(3):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1e-3)  # fault
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # well
            optimizer.step()
    """,
    "two-optimizers": _TRAIN
    + """
        optimizer = torch.optim.SGD(net[0].parameters(), lr=0.01)  # well
        other = torch.optim.Adam(net[2].parameters())
        for step in range(2):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
            other.step()
    """,
    "bias-without-effect": """
        net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU())  # fault
        net = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU())  # well
        net(torch.randn(8, 1, 5, 5)).pow(2).mean().backward()
    """,
}
