import torch

for where in ("view in no_grad", "both in no_grad", "both outside"):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    x = 2 * w
    with torch.set_grad_enabled(where == "both outside"):
        first = x[:1]
    try:
        with torch.set_grad_enabled(where != "both in no_grad"):
            first *= 10
        x.sum().backward()
        print(f"{where}: x {x.tolist()}, w.grad {w.grad}")
    except RuntimeError as error:
        print(f"{where}:", str(error).split(". ")[0])
