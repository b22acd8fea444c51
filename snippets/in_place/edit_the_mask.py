import torch

for edited in ("x", "mask"):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1
    mask = torch.tensor([1.0, 0.0, 1.0])
    y = x * mask
    if edited == "x":
        x += 1
    else:
        mask += 1
    try:
        y.sum().backward()
        print(f"{edited} edited: fine")
    except RuntimeError as error:
        print(f"{edited} edited:", str(error).split(": ")[1].split("; ")[0])
