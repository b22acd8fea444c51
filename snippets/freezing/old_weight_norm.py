import warnings

from torch import nn

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer = nn.utils.weight_norm(nn.Linear(2, 1, bias=False))

print("old:", [name for name, _ in layer.named_parameters()])
for warning in caught:
    print(f"{warning.category.__name__}:")
    print(" ", str(warning.message).split(". ")[0])

layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 1, bias=False))
print("new:", [name.rsplit(".")[-1] for name, _ in layer.named_parameters()])
