from torch import nn


def trainable(module):
    return sum(p.requires_grad for p in module.parameters())


encoder = nn.Linear(2, 2)
print("trainable:", trainable(encoder))

encoder.requires_grad = False
print("encoder.requires_grad = False, trainable:", trainable(encoder))

for p in encoder.parameters():
    p.required_grad = False
print("p.required_grad = False, trainable:", trainable(encoder))

encoder.requires_grad_(False)
print("encoder.requires_grad_(False), trainable:", trainable(encoder))
