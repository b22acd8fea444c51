import torch

x = torch.tensor(2.0)
scores = torch.tensor([3.0, 1.0]).log()
experts = torch.tensor([4.0, 2.0])


def mixed(scores, way):
    gates = scores.softmax(0)
    best, chosen = gates.topk(2 if way == "two, sum made 1" else 1)
    if way == "no gate":
        best = torch.ones(1)
    elif way.endswith("sum made 1"):
        best = best / best.sum()
    return (best * experts[chosen] * x).sum()


for way in ("no gate", "one", "one, sum made 1", "two, sum made 1"):
    r = scores.clone().requires_grad_()
    y = mixed(r, way)
    grads = "none"
    if y.requires_grad:
        y.backward()
        grads = [round(g, 3) for g in r.grad.tolist()]
    print(f"{way}: y {y.item():.2f}, gradient of the scores {grads}")
