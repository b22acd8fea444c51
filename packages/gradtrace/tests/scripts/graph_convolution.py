"""A graph convolutional network with a sparse, normalized adjacency matrix."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(10)
NODES, CLASSES = 24, 3


class GraphConvolution(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        bound = 1 / math.sqrt(outside)
        self.weight = nn.Parameter(torch.empty(inside, outside).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(outside))

    def forward(self, x, adjacency):
        return torch.sparse.mm(adjacency, x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1 = GraphConvolution(CLASSES, 8)
        self.gc2 = GraphConvolution(8, CLASSES)

    def forward(self, x, adjacency):
        x = torch.tanh(self.gc1(x, adjacency))
        x = F.dropout(x, 0.1, self.training)
        return F.log_softmax(self.gc2(x, adjacency), dim=1)


def ring(count):
    """Each node is linked to itself and to those three and six places on; rows sum to one."""
    rows = torch.arange(count).repeat(3)
    columns = (rows + torch.tensor([0, 3, 6]).repeat_interleave(count)) % count
    values = torch.full((3 * count,), 1 / 3)
    places = torch.stack([rows, columns])
    return torch.sparse_coo_tensor(places, values, check_invariants=True).coalesce()


labels = torch.arange(NODES) % CLASSES
features = F.one_hot(labels).float() + 0.5 * torch.randn(NODES, CLASSES)
adjacency = ring(NODES)
train = torch.arange(0, 12)

model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    loss = F.nll_loss(model(features, adjacency)[train], labels[train])
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
    print("model.gc2.weight.grad", model.gc2.weight.grad)
    print("model.gc1.bias.grad", model.gc1.bias.grad)
