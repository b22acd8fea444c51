import torch
import torch.nn.functional as F
from torch.func import grad, jvp, vjp, vmap

x = torch.tensor([[1.0], [2.0]])
labels = torch.tensor([0, 0])
w = torch.zeros(1, 3)
v = torch.tensor([[9.0, 0.0, 0.0]])


def logits(w):
    return x @ w


def sample_loss(w, x, label):
    return F.cross_entropy(x @ w, label)


y, along = jvp(logits, (w,), (v,))
p = y.softmax(1)
curved = p * (along - (p * along).sum(1, keepdim=True))
_, pull_back = vjp(logits, w)
print("Fisher times v:", pull_back(curved)[0])

rows = vmap(grad(sample_loss), in_dims=(None, 0, 0))(w, x, labels)
rows = rows.flatten(1)
print("empirical times v:", rows.T @ (rows @ v.flatten()))
