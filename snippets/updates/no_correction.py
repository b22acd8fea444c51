import torch

for gradient in (1000.0, 1.0):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    w.grad = torch.tensor(gradient)
    optimizer.step()
    m, v = optimizer.state[w]["exp_avg"], optimizer.state[w]["exp_avg_sq"]
    print(f"gradient {gradient}:")
    print(f"  corrected, w moves by {w.item():.4f}")
    print(f"  not corrected, w would move by {-0.1 * m / (v.sqrt() + 1e-8):.4f}")
