import torch

w = torch.nn.Parameter(torch.tensor(1.0))
try:
    torch.optim.Adam([w], lr=0.1, fused=True, foreach=True)
except RuntimeError as error:
    print("both:", error)
try:
    torch.optim.SGD([w], lr=0.1, nesterov=True)
except ValueError as error:
    print("nesterov alone:", error)

optimizer = torch.optim.SGD([w], lr=0.1, nesterov=True, momentum=0.9)
(3 * w).backward()
optimizer.step()
print("with momentum, w:", w.detach())
