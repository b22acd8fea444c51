import torch

w = torch.tensor(2.0, requires_grad=True)
h = w**3
first, second = 5 * h, 7 * h
first.backward()
try:
    second.backward()
except RuntimeError as error:
    print("second call:", str(error).split(". ")[0])

w.grad = None
h = w**3
first, second = 5 * h, 7 * h
(first + second).backward()
print("one call, w.grad:", w.grad)
