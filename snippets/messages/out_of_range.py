import torch

w = torch.nn.Parameter(torch.tensor(1.0))
try:
    torch.optim.SGD([w], lr=-0.1)
except ValueError as error:
    print("SGD:", error)
try:
    torch.optim.Adam([w], betas=(1.0, 0.999))
except ValueError as error:
    print("Adam:", error)

optimizer = torch.optim.SGD([w], lr=0.1, maximize=True)
(3 * w).backward()
optimizer.step()
print("upward with maximize=True, w:", w.detach())
