import torch

w = torch.tensor(3.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)

(gradient,) = torch.autograd.grad(w**2, w)
print("gradient:", gradient, "w.grad:", w.grad)
optimizer.step()
print("after step, w:", w.item())

w.grad = gradient
optimizer.step()
print("handed over, after step, w:", w.item())
