import torch

scale = 0.25
q = torch.tensor([2, -4, 4, 1], dtype=torch.int8)
update = torch.tensor([0.1, -0.1, 0.12, 0.13])

merged = q * scale + update
again = (merged / scale).round().to(torch.int8)
print("merged:", [round(w, 2) for w in merged.tolist()])
print("q before:", q.tolist())
print("q after: ", again.tolist())
