import torch

low = torch.finfo(torch.float32).min
inf = float("inf")
padding = torch.tensor([0.0, low])
future = torch.tensor([low, low])
both = padding + future
print("filled:", torch.softmax(future, dim=0).tolist())
print("added:", both)
both = torch.tensor([-inf, -inf])
print("all -inf:", torch.softmax(both, dim=0).tolist())
