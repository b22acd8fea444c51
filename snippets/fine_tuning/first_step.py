import torch

x = torch.tensor([1.0, 2.0])
target = torch.tensor([3.0, 0.0])
W = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
A = torch.tensor([[1.0, 0.0]], requires_grad=True)
B = torch.tensor([[0.0], [0.0]], requires_grad=True)
alpha, r = 2.0, 1

optimizer = torch.optim.SGD([A, B], lr=0.0625)
for step in (1, 2):
    y = W @ x + alpha / r * (B @ (A @ x))
    loss = ((y - target) ** 2).sum() / 2
    optimizer.zero_grad()
    loss.backward()
    print(f"step {step}: loss {loss.item()}")
    print("  A.grad:", A.grad.tolist())
    print("  B.grad:", B.grad.tolist())
    optimizer.step()
    print("  A:", A.tolist(), "B:", B.tolist())
