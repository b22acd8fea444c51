import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 2
b = x * 3

torch.autograd.backward([a, b], [torch.ones(2), torch.tensor([10.0, 100.0])])
print("both at once, x.grad:", x.grad)

x.grad = None
(x * 2).backward(torch.ones(2))
(x * 3).backward(torch.tensor([10.0, 100.0]))
print("one by one, x.grad:", x.grad)
