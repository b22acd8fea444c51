import torch

x = torch.tensor([1.0, 2.0])
target = torch.tensor([3.0, 0.0])
W = torch.eye(2)


def train(A, B, steps=100):
    A.requires_grad_()
    B.requires_grad_()
    optimizer = torch.optim.SGD([A, B], lr=0.01)
    for _ in range(steps):
        y = W @ x + 2 * (B @ (A @ x))
        loss = ((y - target) ** 2).sum() / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


A, B = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0], [0.0]])
print(f"B = 0:        loss {train(A.clone(), 0 * B):.4f}")
print(f"A = 0:        loss {train(0 * A, B.clone()):.4f}")
print(f"A = 0, B = 0: loss {train(0 * A, 0 * B):.4f}")
