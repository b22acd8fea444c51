import torch
from torch.linalg import cholesky, eigh, eigvalsh, matrix_norm, pinv, qr, svd

equal = torch.diag(torch.tensor([2.0, 2.0]))


def exp_by_eigh(a):
    values, vectors = eigh(a)
    return vectors * values.exp() @ vectors.T


ways = {
    "exp by eigh": exp_by_eigh,
    "matrix_exp": torch.matrix_exp,
    "inverse by svd": lambda a: svd(a).Vh.T / svd(a).S @ svd(a).U.T,
    "pinv": pinv,
    "sum of svd(a).S": lambda a: svd(a).S.sum(),
    "nuclear norm": lambda a: matrix_norm(a, "nuc"),
    "eigvalsh": eigvalsh,
    "qr": lambda a: qr(a).R,
    "cholesky": cholesky,
}
for name, way in ways.items():
    a = equal.clone().requires_grad_()
    way(a).sum().backward()
    print(f"{name}: finite {a.grad.isfinite().all().item()}")
