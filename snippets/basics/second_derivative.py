import torch

w = torch.tensor(5.0, requires_grad=True)
y = w**3

(g,) = torch.autograd.grad(y, w, create_graph=True)
(h,) = torch.autograd.grad(g, w)
print("first derivative:", g)
print("second derivative:", h)

(g,) = torch.autograd.grad(w**3, w)
print("without create_graph:", g)
try:
    torch.autograd.grad(g, w)
except RuntimeError as error:
    print("RuntimeError:", error)
