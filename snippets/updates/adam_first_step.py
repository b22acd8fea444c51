import torch

for gradient in (1000.0, 1.0, 0.001, -0.001, 1e-8, 1e-10, 0.0):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    w.grad = torch.tensor(gradient)
    optimizer.step()
    print(f"gradient {gradient}: w moves by {w.item():.4f}")
