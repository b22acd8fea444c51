import torch

for name in ("detach()", "data"):
    w = torch.tensor([2.0], requires_grad=True)
    loss = (w**2).sum()
    alias = w.detach() if name == "detach()" else w.data
    alias.mul_(10)
    try:
        loss.backward()
        print(f"{name}: w.grad: {w.grad}")
    except RuntimeError as error:
        print(f"{name}: RuntimeError:", str(error).split(": ")[0])
