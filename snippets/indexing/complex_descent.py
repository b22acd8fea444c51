import torch

target = 1 + 2j
w = torch.tensor(3 + 6j, requires_grad=True)
real = torch.tensor(3.0, requires_grad=True)
imag = torch.tensor(6.0, requires_grad=True)
one = torch.optim.SGD([w], lr=0.25)
two = torch.optim.SGD([real, imag], lr=0.25)
for _ in range(2):
    one.zero_grad()
    two.zero_grad()
    distance = (w - target).abs() ** 2
    distance.backward()
    ((real - 1) ** 2 + (imag - 2) ** 2).backward()
    print("loss:", round(distance.item(), 4))
    print("    w.grad:", w.grad)
    print("    as two:", real.grad, imag.grad)
    one.step()
    two.step()
    print("    w:", w.detach())
    print("    as two:", real.detach(), imag.detach())
