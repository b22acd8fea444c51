import torch

w = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for gradient in (1.0, 1.0, 1.0, 0.0, -1.0):
    w.grad = torch.tensor(gradient)
    optimizer.step()
    buffer = optimizer.state[w]["momentum_buffer"].item()
    print(f"gradient {gradient}: buffer={buffer:.4f} w={w.item():.4f}")
