import torch

W, x = torch.tensor(1.0), torch.tensor(1.0)
A = torch.tensor(1.0, requires_grad=True)
B = torch.tensor(0.0, requires_grad=True)
head = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([A, B, head], lr=0.001)
micro_batches = [torch.tensor([3.0]), torch.tensor([0.0, 0.0, 0.0])]

total = sum(len(targets) for targets in micro_batches)
for targets in micro_batches:
    y = head * (W * x + B * (A * x))
    loss = ((y - targets) ** 2 / 2).sum()
    (loss / total).backward()
optimizer.step()
print("A.grad:", A.grad.item(), "B.grad:", B.grad.item())
print("head.grad:", head.grad.item())
print(f"after the step: head {head.item():.5f}, B {B.item():.5f}")
