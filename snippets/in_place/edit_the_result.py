import torch

for way in ("in place", "through .data", "out of place"):
    w = torch.tensor(4.0, requires_grad=True)
    root = w.sqrt()
    if way == "in place":
        root += 1
    elif way == "through .data":
        root.data += 1
    else:
        root = root + 1
    try:
        root.backward()
        print(f"{way}: root {root.item()}, w.grad {w.grad:.4f}")
    except RuntimeError as error:
        print(f"{way}:", str(error).split(": ")[1].split(", ")[1])
