import math
import random

import torch


class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.sources = sources
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        sources = [(self, other.data), (other, self.data)]
        return Value(self.data * other.data, sources)

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, [(self, 1 - t * t)])

    def backward(self):
        received = dict.fromkeys(in_order(self), 0.0)
        received[self] = 1.0
        for value in reversed(received):
            if not value.sources:
                value.grad += received[value]
            for source, slope in value.sources:
                received[source] += received[value] * slope


def in_order(value, found=None):
    found = {} if found is None else found
    if value not in found:
        for source, _ in value.sources:
            in_order(source, found)
        found[value] = True
    return found


random.seed(0)
neurons = [[Value(random.uniform(-1, 1)) for _ in range(3)] for _ in range(8)]
bias = Value(0.0)
parameters = [p for neuron in neurons for p in neuron] + [bias]
points = (-2.0, -1.0, 1.0, 2.0)


def mean_square():
    loss = Value(0.0)
    for x in points:
        miss = bias + Value(-x * x)
        for weight, offset, factor in neurons:
            miss = miss + factor * (weight * Value(x) + offset).tanh()
        loss = loss + miss * miss * Value(0.25)
    return loss


loss = mean_square()
loss.backward()

numbers = [[p.data for p in neuron] for neuron in neurons]
theirs = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
their_bias = torch.zeros(1, dtype=torch.float64, requires_grad=True)
weight, offset, factor = theirs.T
x = torch.tensor(points, dtype=torch.float64)
prediction = torch.tanh(x.reshape(4, 1) * weight + offset) @ factor + their_bias
their_loss = ((prediction - x**2) ** 2).mean()
their_loss.backward()

print(f"loss: {loss.data:.6f}, PyTorch: {their_loss.item():.6f}")
print(f"bias: {bias.grad:.6f}, PyTorch: {their_bias.grad.item():.6f}")
ours = torch.tensor([[p.grad for p in neuron] for neuron in neurons], dtype=torch.float64)
print("gradients that agree:", torch.isclose(ours, theirs.grad).sum().item())
