import torch
import torch.nn.functional as F

table = torch.zeros(4, 2, requires_grad=True)
places = torch.tensor([2, 0, 2])
rows = F.embedding(places, table)
upstream = torch.tensor([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
rows.backward(upstream)
print("places:", places)
print("gradient of the rows that were read:")
print(upstream)
print("table.grad:")
print(table.grad)
