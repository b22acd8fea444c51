import torch

strength = torch.tensor(1.0, requires_grad=True)


def training_loss(z):
    return (z - 3) ** 2 / 2 + strength * z**2 / 2


z = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([z], lr=0.25)
for _ in range(40):
    optimizer.zero_grad()
    training_loss(z).backward(inputs=[z])
    optimizer.step()
print("trained z:", z.item())

(g,) = torch.autograd.grad(training_loss(z), z, create_graph=True)
(curvature,) = torch.autograd.grad(g, z, retain_graph=True)
answer = z.detach() - g / curvature
print("after a Newton step:", answer.item())
validation_loss = (answer - 2) ** 2
validation_loss.backward(inputs=[strength])
print("strength.grad:", strength.grad.item())
