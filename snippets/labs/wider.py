import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
for width in (8, 32, 128):
    drops = []
    for _ in range(100):
        x = h = torch.zeros(1, width, requires_grad=True)
        for weight in torch.randn(29, width, width) / width**0.5:
            h = h @ weight
        h.backward(torch.ones(1, width))
        drops.append((x.grad.norm() / width**0.5).log())
    drops = torch.stack(drops)
    print(f"width {width}: mean of the log {drops.mean():.2f}, spread {drops.std():.2f}")
