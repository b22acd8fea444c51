import torch

nameless = torch.tensor(5.0, requires_grad=True)
a = nameless * 0.1
optimizer = torch.optim.SGD([nameless], lr=1)

(3 * a).backward()
optimizer.step()
print("nameless.grad:", nameless.grad)
print("after step, nameless:", nameless)
print("after step, a:", a)
print("computed again, a:", nameless * 0.1)
