import torch

w = torch.zeros(2, requires_grad=True)


def losses(w):
    return 2 * w[0], -6 * w[0] + 8 * w[1]


loss1, loss2 = losses(w)
g1 = torch.autograd.grad(loss1, w)[0]
g2 = torch.autograd.grad(loss2, w)[0]
dot = g1 @ g2
print("cosine:", round((dot / (g1.norm() * g2.norm())).item(), 4))
g1_projected = g1 - dot / (g2 @ g2) * g2
g2_projected = g2 - dot / (g1 @ g1) * g1
print("g1 without its part against g2:", g1_projected)
print("g2 without its part against g1:", g2_projected)
for name, gradient in (("sum", g1 + g2), ("projected", g1_projected + g2_projected)):
    loss1, loss2 = losses(w.detach() - 0.1 * gradient)
    print(f"{name}: loss1 {loss1.item():.3f}, loss2 {loss2.item():.3f}")
