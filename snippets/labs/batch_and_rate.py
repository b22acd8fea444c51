import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
for kind in (torch.optim.SGD, torch.optim.Adam):
    for batch, lr in ((4, 0.01), (16, 0.01), (16, 0.02), (16, 0.04)):
        w = torch.zeros(4000, requires_grad=True)
        optimizer = kind([w], lr=lr)
        for _ in range(2048 // batch):
            noise = torch.randn(4000) / batch**0.5
            w.grad = 0.1 + noise
            optimizer.step()
        mean = w.mean().item()
        print(f"{kind.__name__}, batch {batch}, lr {lr}: w moves by {mean:.2f} on average")
