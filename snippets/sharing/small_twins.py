import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x1 = torch.tensor([1.0, 3.0])
x2 = torch.tensor([5.0, 7.0])

(g1,) = torch.autograd.grad((w * x1).sum(), w)
(g2,) = torch.autograd.grad((w * x2).sum(), w)
print("left input only, gradient:", g1)
print("right input only, gradient:", g2)

loss = (w * x1).sum() + (w * x2).sum()
loss.backward()
print("both inputs, w.grad:", w.grad)
