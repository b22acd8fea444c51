import torch

x = torch.tensor([4.0, 1.0, 3.0, 2.0], requires_grad=True)
results = {
    "topk": x.topk(2).values,
    "kthvalue": x.kthvalue(3).values,
    "median()": x.median(),
    "quantile": x.quantile(0.5),
}
for name, y in results.items():
    gradient = torch.autograd.grad(y.sum(), x)[0]
    print(f"{name}:", y.detach())
    print("    gradient:", gradient)
