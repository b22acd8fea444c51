import torch

before = torch.tensor(2.0, requires_grad=True)
frozen = torch.tensor(3.0)
after = torch.tensor(5.0, requires_grad=True)

loss = after * (frozen * before)
loss.backward()
print("before.grad:", before.grad)
print("frozen.grad:", frozen.grad)
print("after.grad:", after.grad)
