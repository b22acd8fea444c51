import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
result = torch.empty(2)
try:
    torch.add(w, 1.0, out=result)
except RuntimeError as error:
    print("with out:", error)

result = torch.add(w, 1.0)
(result**2).sum().backward()
print("without out, w.grad:", w.grad)
