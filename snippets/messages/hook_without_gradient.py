import torch

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
with torch.no_grad():
    unrecorded = w * x

for name, tensor in [("the data", x), ("made under no_grad", unrecorded)]:
    try:
        tensor.register_hook(print)
    except RuntimeError as error:
        print(f"{name}: {error}")

y = w * x
y.register_hook(lambda grad: print("hook on y:", grad))
(5 * y).backward()
print("w.grad:", w.grad)
