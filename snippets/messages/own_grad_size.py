import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)
try:
    w.grad = torch.ones(1)
except RuntimeError as error:
    print("one number:", error)

w.grad = torch.ones_like(w)
optimizer.step()
print("two numbers, w after the step:", w.tolist())
