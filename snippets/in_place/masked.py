import torch

mask = torch.tensor([False, False, True])


def assign(p):
    p[mask] = 0.0
    return p


def masked_fill(p):
    return p.masked_fill(mask, 0.0)


def where(p):
    return torch.where(mask, 0.0, p)


for edit in (assign, masked_fill, where):
    scores = torch.zeros(3, requires_grad=True)
    p = edit(torch.softmax(scores, dim=0))
    try:
        (3 * p).sum().backward()
        print(f"{edit.__name__}: scores.grad {scores.grad}")
    except RuntimeError as error:
        print(f"{edit.__name__}:", str(error).split(": ")[1].split("; ")[0])
