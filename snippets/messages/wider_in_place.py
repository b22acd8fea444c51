import torch

total = torch.zeros(3)
batch = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
try:
    total += batch
except RuntimeError as error:
    print("total += batch:", error)

total += batch.sum(dim=0)
print("a sum of rows:", total)
