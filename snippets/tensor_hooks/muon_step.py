import torch
from torch import nn

grad = torch.tensor([[2.0, 4.0], [6.0, 0.0]])
u, s, vh = torch.linalg.svd(grad)
print("singular values:", s)
print("all of them 1:", u @ vh)

w = nn.Parameter(torch.zeros(2, 2))
w.grad = grad
torch.optim.Muon([w], lr=1.0, weight_decay=0.0).step()
off = (w + u @ vh).abs().max()
print("Muon's step is off by less than 0.3:", (off < 0.3).item())
