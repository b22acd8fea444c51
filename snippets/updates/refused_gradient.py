import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for name, gradient in [
    ("three numbers", torch.ones(3)),
    ("float64", torch.ones(2, dtype=torch.float64)),
    ("a list", [1.0, 1.0]),
    ("two float32", torch.ones(2)),
]:
    try:
        w.grad = gradient
        print(f"{name}: accepted")
    except (RuntimeError, TypeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
