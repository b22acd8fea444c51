import torch


class Plain(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self, check=True):
        for group in self.param_groups:
            for p in group["params"]:
                if check and p.grad is None:
                    continue
                p -= group["lr"] * p.grad


unused = torch.tensor(3.0, requires_grad=True)
used = torch.tensor(3.0, requires_grad=True)
optimizer = Plain([unused, used], lr=0.5)
(4 * used).backward()
for check in (False, True):
    try:
        optimizer.step(check)
    except TypeError as error:
        print("error:", error)
    print(f"check={check}, unused: {unused.item()} used: {used.item()}")
