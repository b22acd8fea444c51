import torch
from torch import nn

table = torch.eye(2).to_sparse().requires_grad_()
try:
    torch.optim.SparseAdam([table], lr=0.1)
except ValueError as error:
    print("sparse parameter:", str(error).split(": ")[1])

dense = table.detach().to_dense()
layer = nn.Embedding.from_pretrained(dense, freeze=False, sparse=True)
optimizer = torch.optim.SparseAdam(layer.parameters(), lr=0.1)
layer(torch.tensor([1])).sum().backward()
optimizer.step()
print("dense parameter, sparse gradient:", layer.weight.grad.is_sparse)
print("gradient of row 1:", layer.weight.grad.to_dense()[1])
