import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)

for step in (1, 2, 3):
    optimizer.zero_grad()
    (w**2 / 2).backward()
    optimizer.step()
    print(f"step {step}: w.grad={w.grad.item()} w={w.item()}")
