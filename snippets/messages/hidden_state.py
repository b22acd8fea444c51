import torch

w = torch.tensor(2.0, requires_grad=True)
hidden = torch.tensor(3.0)
try:
    for _ in range(2):
        hidden = w * hidden
        hidden.backward()
except RuntimeError as error:
    print("second round:", str(error).split(" (or")[0])

hidden = torch.tensor(3.0)
for number in (1, 2):
    w.grad = None
    hidden = w * hidden.detach()
    hidden.backward()
    print(f"detach(), round {number}, w.grad:", w.grad)
