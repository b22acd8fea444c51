import torch

x = torch.tensor([1.2, 3.7, 2.6], requires_grad=True)
results = {
    "x.argmax()": x.argmax(),
    "x > 2": x > 2,
    "(x > 2).float()": (x > 2).float(),
    "x.round()": x.round(),
    "x.sign()": x.sign(),
    "x.max()": x.max(),
    "x[x > 2]": x[x > 2],
    "x * (x > 2)": x * (x > 2),
}
for name, y in results.items():
    if y.requires_grad:
        gradient = torch.autograd.grad(y.sum(), x)[0]
        print(f"{name}: gradient", gradient)
    else:
        print(f"{name}: requires no gradient")
