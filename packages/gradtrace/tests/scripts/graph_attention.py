"""A graph attention network on two groups of friends, with a dense adjacency matrix."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(9)
NODES, FEATURES = 20, 8


class GraphAttention(nn.Module):
    def __init__(self, inside, outside, heads, join):
        super().__init__()
        self.W = nn.Parameter(torch.empty(heads, inside, outside))
        self.a = nn.Parameter(torch.empty(heads, 2 * outside, 1))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)
        self.join = join

    def forward(self, h, adjacency):
        h = h @ self.W
        left, right = self.a.chunk(2, dim=1)
        scores = F.leaky_relu(h @ left + (h @ right).transpose(1, 2), 0.2)
        scores = scores.masked_fill(adjacency == 0, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ h
        return self.join(out)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GraphAttention(FEATURES, 4, 2, lambda out: torch.cat(tuple(out), dim=-1))
        self.second = GraphAttention(8, 2, 1, lambda out: out.mean(0))

    def forward(self, x, adjacency):
        x = F.dropout(x, 0.2, self.training)
        x = F.elu(self.first(x, adjacency))
        return self.second(x, adjacency)


group = torch.arange(NODES) % 2
friends = (torch.rand(NODES, NODES) < 0.1) | (
    (group[:, None] == group) & (torch.rand(20, 20) < 0.5)
)
adjacency = (friends | friends.T | torch.eye(NODES, dtype=torch.bool)).float()
x = torch.randn(NODES, FEATURES) + group[:, None]
known = torch.arange(NODES) < 8

model = GAT()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(4):
    model.train()
    optimizer.zero_grad()
    out = model(x, adjacency)
    loss = F.cross_entropy(out[known], group[known])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(x, adjacency).argmax(1) == group)[~known].float().mean()
    print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {right:.2f}")
    print("model.second.W.grad", model.second.W.grad)
    print("model.second.a.grad", model.second.a.grad)
    print(f"model.first.W.grad.norm() {model.first.W.grad.norm():.4f}")
