import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = 3 * w
try:
    h.numpy()
except RuntimeError as error:
    print("numpy():", error)

print("detach().numpy():", h.detach().numpy())
(h**2).sum().backward()
print("h keeps its graph, w.grad:", w.grad)
