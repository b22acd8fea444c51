"""A backbone with frozen weights gets a new head, and later its last stage is set free."""

import torch
from torch import nn

torch.manual_seed(22)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU())
        self.stage2 = nn.Sequential(nn.Conv2d(8, 12, 3, 2, 1), nn.BatchNorm2d(12), nn.SiLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(12, 100)

    def forward(self, x):
        return self.fc(self.pool(self.stage2(self.stage1(x))).flatten(1))


model = Backbone()
model.load_state_dict({k: v.clone() for k, v in Backbone().state_dict().items()})
for p in model.parameters():
    p.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 3)
optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1, momentum=0.9)
images, labels = torch.randn(12, 3, 16, 16), torch.randint(0, 3, (12,))


def frozen_eval(model):
    """Training, but with the statistics of the frozen layers as they are."""
    model.train()
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d) and not layer.weight.requires_grad:
            layer.eval()


def step(name):
    frozen_eval(model)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(f"{name}: loss {loss.item():.4f}")
    print("model.fc.bias.grad", model.fc.bias.grad)


for epoch in range(2):
    step(f"head only, epoch {epoch}")
print("stage2 without gradients:", all(p.grad is None for p in model.stage2.parameters()))

model.stage2.requires_grad_(True)
optimizer.add_param_group({"params": list(model.stage2.parameters()), "lr": 0.01})
for epoch in range(2):
    step(f"with the last stage, epoch {epoch}")
    print("model.stage2.1.bias.grad", model.stage2[1].bias.grad)
