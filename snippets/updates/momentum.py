import torch

torch.set_printoptions(precision=6)
gradient = torch.tensor([0.25, 0.25, 1.25, 0.25])
w = torch.ones(4, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01, momentum=0.9)
for step in (1, 2, 3):
    w.grad = gradient.clone()
    optimizer.step()
    print(f"step {step}, buffer:", optimizer.state[w]["momentum_buffer"])
    print(f"step {step}, w:     ", w.detach())
