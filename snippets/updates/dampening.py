import torch

for dampening in (0.0, 0.5, 0.9):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9, dampening=dampening)
    print(f"dampening {dampening}:")
    for step in (1, 2, 3):
        w.grad = torch.tensor(1.0)
        optimizer.step()
        print(f"  step {step}, buffer: {optimizer.state[w]['momentum_buffer']:.4f}")

try:
    torch.optim.SGD([w], lr=0.1, momentum=0.9, dampening=0.5, nesterov=True)
except ValueError as error:
    print("ValueError:", error)
