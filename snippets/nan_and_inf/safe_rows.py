import torch

hidden = torch.tensor([[False, True], [True, True]])


def lowest(scores):
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(hidden, low), dim=1)


def fill_again(scores):
    masked = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(masked, dim=1)
    return weights.masked_fill(hidden, 0.0)


for f in (lowest, fill_again):
    values = torch.tensor([[1.0], [2.0]], requires_grad=True)
    scores = torch.zeros(2, 2, requires_grad=True)
    out = f(scores) @ values
    out.sum().backward()
    print(f"{f.__name__}, out:", out.flatten().tolist())
    print("  values.grad:", values.grad.flatten().tolist())
    print("  scores.grad:", scores.grad.tolist())
