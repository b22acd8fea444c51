import torch


def try_edit(name, edited):
    w = torch.tensor([1.0, 4.0], requires_grad=True)
    x = w * 1
    y = getattr(torch, name)(x)
    if edited == "input":
        x += 1
    else:
        y += 1
    try:
        y.sum().backward()
        return "fine"
    except RuntimeError:
        return "error"


x = torch.ones(2, requires_grad=True)
print("         saved     input += 1   result += 1")
for name in ("exp", "sigmoid", "tanh", "relu", "sqrt", "sin", "log", "square", "neg"):
    node = getattr(torch, name)(x).grad_fn
    saved = "nothing"
    if hasattr(node, "_saved_self"):
        saved = "input"
    if hasattr(node, "_saved_result"):
        saved = "result"
    row = [try_edit(name, "input"), try_edit(name, "result")]
    print(f"{name:8} {saved:9} {row[0]:12} {row[1]}")
