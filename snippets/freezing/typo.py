from torch import nn


def trainable(module):
    return sum(p.requires_grad for p in module.parameters())


encoder = nn.Linear(2, 2)
print("trainable:", trainable(encoder))

encoder.requires_grad = False
print("assigned to the module, trainable:", trainable(encoder))

for p in encoder.parameters():
    p.required_grad = False
print("misspelled, trainable:", trainable(encoder))

encoder.requires_grad_(False)
print("with the underscore, trainable:", trainable(encoder))
