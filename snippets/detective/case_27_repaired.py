import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 3)
y = x @ torch.tensor([[2.0], [-1.0], [0.5]])
main, extra = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*main.parameters(), *extra.parameters()], lr=0.1)


def turn_off(grad):
    return grad * 0


for step in range(100):
    main_output, extra_output = main(x), extra(x)
    extra_output.register_hook(turn_off)
    loss = ((extra_output + main_output - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    if step == 0:
        for name, branch in (("main", main), ("extra", extra)):
            print(f"{name}, gradient: {branch.weight.grad.norm().item():.2f}")
    optimizer.step()

print(f"loss: {loss.item():.3f}")
