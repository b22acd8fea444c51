import torch

p = torch.tensor(0.5, requires_grad=True)
log = torch.log(p)
log.backward()
print("log:", log.item())
print("slope:", p.grad.item())
