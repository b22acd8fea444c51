"""Trains the model of the package beside this file, whose modules import each other."""

import torch
from dilated import DilatedNet
from dilated.data import tones

torch.manual_seed(28)
model = DilatedNet(channels=6, layers=3)
optimizer = torch.optim.RAdam(model.parameters(), lr=5e-3)
wave = tones(batch=4, length=40)

for step in range(3):
    optimizer.zero_grad()
    loss = model.loss(wave)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
    print("model.last.bias.grad", model.last.bias.grad)
    print("model.blocks.0.gate.bias.grad", model.blocks[0].gate.bias.grad)
