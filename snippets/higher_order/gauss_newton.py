import torch
from torch.func import hessian, jvp, vjp

x = torch.tensor([1.0, 2.0])
target = torch.tensor([1.0, 1.0])
w = torch.tensor([1.0, 2.0])
v = torch.tensor([1.0, -1.0])


def model(w):
    return w[0] * w[1] * x


def loss(w):
    return (model(w) - target).square().sum() / 2


_, along = jvp(model, (w,), (v,))
_, pull_back = vjp(model, w)
(product,) = pull_back(along)
print("J v:", along.tolist())
print("Gauss-Newton times v:", product.tolist())
print("curvature along v:", (v @ product).item())

h = hessian(loss)(w)
print("Hessian:", h.tolist())
print("Hessian times v:", (h @ v).tolist())
print("curvature along v by the Hessian:", (v @ h @ v).item())
