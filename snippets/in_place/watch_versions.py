import torch


def shift(values):
    return values.add_(1)


w = torch.tensor([0.5, 1.0], requires_grad=True)
h = 2 * w
gate = torch.sigmoid(h)
print("after sigmoid: version", gate._version)
value = torch.tanh(h)
print("after tanh:    version", gate._version)
shifted = shift(gate)
print("after shift:   version", gate._version)
result = shifted * value
print("after product: version", gate._version)
