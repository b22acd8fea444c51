import torch

x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
largest = {
    "max(dim)": x.max(dim=0).values,
    "topk": x.topk(1).values,
    "sort()": x.sort().values[-1],
    "sort(descending=True)": x.sort(descending=True).values[0],
    "amax()": x.amax(),
    "max()": x.max(),
}
middle = {
    "median(dim)": x.median(dim=0).values,
    "kthvalue": x.kthvalue(2).values,
    "median()": x.median(),
}
for name, y in {**largest, **middle}.items():
    gradient = torch.autograd.grad(y.sum(), x)[0]
    print(f"{name}: {y.item()}, gradient", gradient)
