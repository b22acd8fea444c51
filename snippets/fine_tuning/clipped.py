import torch

W = torch.eye(2)
A = torch.tensor([[1.0, 0.0]], requires_grad=True)
B = torch.zeros(2, 1, requires_grad=True)
x = torch.tensor([1.0, 2.0])

y = W @ x + B @ (A @ x)
loss = (y * torch.tensor([3.0, -4.0])).sum()
loss.backward()
norm = torch.nn.utils.clip_grad_norm_([W, A, B], max_norm=2.5)
print("norm:", norm.item())
print("W.grad:", W.grad)
print("A.grad:", A.grad)
print(f"B.grad, clipped: {B.grad[0].item():.2f}, {B.grad[1].item():.2f}")
