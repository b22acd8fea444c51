"""A recurrent network written by hand, over a sequence of 500 steps."""

import torch

torch.manual_seed(7)
STEPS, HIDDEN = 500, 16

W_in = (torch.randn(HIDDEN, 1) * 0.5).requires_grad_()
W_h = torch.empty(HIDDEN, HIDDEN)
torch.nn.init.orthogonal_(W_h)
W_h.requires_grad_()
b_h = torch.zeros(HIDDEN, requires_grad=True)
W_out = (torch.randn(1, HIDDEN) * 0.1).requires_grad_()
parameters = [W_in, W_h, b_h, W_out]

series = torch.sin(torch.arange(STEPS + 1) * 0.1)
optimizer = torch.optim.Adam(parameters, lr=1e-3)

for epoch in range(2):
    h = torch.zeros(HIDDEN)
    loss = 0.0
    for t in range(STEPS):
        h = torch.tanh(W_in @ series[t : t + 1] + W_h @ h + b_h)
        loss = loss + (W_out @ h - series[t + 1]).pow(2).sum() / STEPS
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}, norm {norm.item():.4f}")
    print("b_h.grad", b_h.grad)
    print(f"W_h.grad.norm() {W_h.grad.norm():.4f}")
