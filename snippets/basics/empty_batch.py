import torch

w = torch.tensor(2.0, requires_grad=True)
starts = {
    "0": 0,
    "torch.tensor(0.0)": torch.tensor(0.0),
    "w * 0": w * 0,
}

for name, loss in starts.items():
    for target in []:
        loss = loss + (w - target) ** 2
    try:
        loss.backward()
        print(f"start {name}: w.grad:", w.grad)
    except (AttributeError, RuntimeError) as error:
        print(f"start {name}: {type(error).__name__}: {error}")
