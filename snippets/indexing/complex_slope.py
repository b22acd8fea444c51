import torch

a = 1 - 2j
h = 0.001


def loss(w):
    return (a * w).real


w = torch.tensor(1 + 2j, dtype=torch.complex128)
right = (loss(w + h) - loss(w - h)) / (2 * h)
up = (loss(w + h * 1j) - loss(w - h * 1j)) / (2 * h)
print("along the real axis:", round(right.item(), 4))
print("along the imaginary axis:", round(up.item(), 4))

w.requires_grad_()
loss(w).backward()
print("w.grad, real part:", w.grad.real.item())
print("w.grad, imaginary part:", w.grad.imag.item())
