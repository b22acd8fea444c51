import warnings

import torch
from torch.utils.checkpoint import checkpoint

x = torch.tensor(2.0, requires_grad=True)
data = torch.tensor(2.0)


def block(x):
    print("  graph recorded:", torch.is_grad_enabled())
    return x * x


for name, value, settings in (
    ("not passed", x, {}),
    ("True", x, {"use_reentrant": True}),
    ("True, no gradient", data, {"use_reentrant": True}),
    ("False", x, {"use_reentrant": False}),
):
    print("use_reentrant:", name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = checkpoint(block, value, **settings)
    print("  node:", type(y.grad_fn).__name__)
    for warning in caught:
        text = str(warning.message)
        for sentence in text.removesuffix(".").split(". "):
            print("  warning:", sentence)
