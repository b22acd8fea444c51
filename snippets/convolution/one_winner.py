import torch
import torch.nn.functional as F

values = torch.tensor([[1.0, 3.0], [3.0, 3.0]])
functions = {
    "max_pool2d": lambda x: F.max_pool2d(x[None], 2),
    "max(dim)": lambda x: x.flatten().max(dim=0).values,
    "amax": lambda x: x.amax(),
    "max()": lambda x: x.max(),
    "avg_pool2d": lambda x: F.avg_pool2d(x[None], 2),
}
print("x:")
print(values)
for name, f in functions.items():
    x = values.clone().requires_grad_()
    f(x).backward()
    print(f"{name}, x.grad:")
    print(x.grad)
