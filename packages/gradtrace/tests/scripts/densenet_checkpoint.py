"""A small DenseNet whose layers are computed again in the backward pass, to save memory."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(14)


class DenseLayer(nn.Module):
    def __init__(self, inside, growth, bottleneck=2):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inside)
        self.conv1 = nn.Conv2d(inside, bottleneck * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(bottleneck * growth)
        self.conv2 = nn.Conv2d(bottleneck * growth, growth, 3, padding=1, bias=False)

    def squeeze(self, *features):
        return self.conv1(torch.relu(self.norm1(torch.cat(features, dim=1))))

    def forward(self, *features):
        if any(f.requires_grad for f in features):
            squeezed = checkpoint(self.squeeze, *features, use_reentrant=False)
        else:
            squeezed = self.squeeze(*features)
        return self.conv2(torch.relu(self.norm2(squeezed)))


class DenseBlock(nn.ModuleDict):
    def __init__(self, layers, inside, growth):
        super().__init__()
        for i in range(layers):
            self.add_module(f"denselayer{i + 1}", DenseLayer(inside + i * growth, growth))

    def forward(self, x):
        features = [x]
        for layer in self.values():
            features.append(layer(*features))
        return torch.cat(features, dim=1)


class DenseNet(nn.Module):
    def __init__(self, growth=4, classes=5):
        super().__init__()
        self.conv0 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.block1 = DenseBlock(2, 8, growth)
        self.transition = nn.Sequential(
            nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 1, bias=False), nn.AvgPool2d(2)
        )
        self.block2 = DenseBlock(2, 8, growth)
        self.norm = nn.BatchNorm2d(16)
        self.classifier = nn.Linear(16, classes)

    def forward(self, x):
        x = self.block2(self.transition(self.block1(self.conv0(x))))
        return self.classifier(torch.relu(self.norm(x)).mean(dim=(2, 3)))


model = DenseNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 5, (8,))
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
    print("model.classifier.bias.grad", model.classifier.bias.grad)
    print(f"model.conv0.weight.grad.norm() {model.conv0.weight.grad.norm():.4f}")
