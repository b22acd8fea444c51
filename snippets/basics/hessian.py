import torch


def f(w):
    return w[0] ** 2 * w[1] + w[1] ** 3


w = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(f(w), w, create_graph=True)
print("gradient:", g.detach())
for i in range(2):
    (row,) = torch.autograd.grad(g[i], w, retain_graph=True)
    print(f"row {i}:", row)

print("torch.func.hessian:")
print(torch.func.hessian(f)(w.detach()))

(column_sum,) = torch.autograd.grad(g.sum(), w)
print("gradient of g.sum():", column_sum)
