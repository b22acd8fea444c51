import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0)
c = torch.tensor(5.0, requires_grad=True)

y = b * a
loss = c * y
loss.backward()
print("b frozen: a.grad =", a.grad, "c.grad =", c.grad)

a.grad = None
c.grad = None
with torch.no_grad():
    y = b * a
loss = c * y
loss.backward()
print("no_grad(): a.grad =", a.grad, "c.grad =", c.grad)

a.grad = None
c.grad = None
y = (b * a).detach()
loss = c * y
loss.backward()
print("detach(): a.grad =", a.grad, "c.grad =", c.grad)
