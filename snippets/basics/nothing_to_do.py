import torch

w = torch.tensor(2.0, requires_grad=True)
losses = {
    "detach": (w * 3).detach(),
    "torch.tensor": torch.tensor(w.item() * 3),
    "argmax": torch.stack([w, w * 3]).argmax(),
    "item": (w * 3).item(),
}
with torch.no_grad():
    losses["no_grad"] = w * 3

for name, loss in losses.items():
    try:
        loss.backward()
    except (RuntimeError, AttributeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
