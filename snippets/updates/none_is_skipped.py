import torch

used = torch.tensor(1.0, requires_grad=True)
times_zero = torch.tensor(1.0, requires_grad=True)
unused = torch.tensor(1.0, requires_grad=True)
parameters = {"used": used, "times zero": times_zero, "unused": unused}
optimizer = torch.optim.SGD(parameters.values(), lr=0.1, weight_decay=1.0)

(3 * used + 0 * times_zero).backward()
optimizer.step()
for name, p in parameters.items():
    print(f"{name}: grad={p.grad} after step={p.item():.4f}")
