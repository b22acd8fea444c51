import torch

output = torch.tensor([1.0, float("nan")])
print("any():", output.isfinite().any().item())
print("all():", output.isfinite().all().item())
