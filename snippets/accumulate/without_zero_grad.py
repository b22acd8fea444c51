import torch


def train(clear):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    for step in range(3):
        if clear:
            optimizer.zero_grad()
        (w**2).backward()
        optimizer.step()
        grad = w.grad.item()
        print(f"  step {step}: w.grad={grad} w={w.item()}")


print("with zero_grad:")
train(clear=True)
print("without zero_grad:")
train(clear=False)
