import torch

W = torch.tensor([[0.52, -0.98], [1.01, 0.26]])
scale = 0.25
q = (W / scale).round().to(torch.int8)
A = torch.tensor([[1.0, 1.0]], requires_grad=True)
B = torch.zeros(2, 1, requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)

try:
    q.requires_grad_()
except RuntimeError as error:
    print("q:", error)
dequantized = q * scale
y = dequantized @ x + B @ (A @ x)
y.sum().backward()
print("q:", q.tolist())
print("q * scale:", dequantized.tolist(), "requires grad:", dequantized.requires_grad)
print("x.grad:", x.grad.tolist())
print("B.grad:", B.grad.tolist())
