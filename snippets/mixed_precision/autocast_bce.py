import torch
from torch.nn import functional

x = torch.ones(1, 1)
target = torch.zeros(1, 1)


def train_on(name, loss_of):
    layer = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(layer.weight, 8.0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x)
        loss = loss_of(y)
    loss.backward()
    grad = layer.weight.grad.item()
    print(f"{name}: loss {loss.item():.4f}, w.grad {grad:.4f}")


def sigmoid_first(y):
    p = torch.sigmoid(y)  # rounded to the last bits
    exact = torch.sigmoid(y.float())
    print(f"p: {p.item():g}, in float32: {exact.item():.5f}")
    return functional.binary_cross_entropy(p, target)


def with_logits(y):
    loss = functional.binary_cross_entropy_with_logits
    return loss(y, target)


train_on("sigmoid first", sigmoid_first)
train_on("with logits", with_logits)
