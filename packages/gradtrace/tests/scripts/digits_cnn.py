"""A convolutional network with batch normalization on pictures of ten invented digits."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(16 * 7 * 7, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = self.dropout(torch.flatten(x, 1))
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


def pictures(count):
    """Ten patterns, of which each picture is a noisy copy."""
    patterns = torch.rand(10, 1, 28, 28)
    labels = torch.randint(0, 10, (count,))
    return TensorDataset(patterns[labels] + 0.3 * torch.randn(count, 1, 28, 28), labels)


def train(model, loader, optimizer, epoch):
    model.train()
    for batch, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} batch {batch}: loss {loss.item():.4f}")
        print("model.fc2.bias.grad", model.fc2.bias.grad)
        print(f"model.conv1.weight.grad.norm() {model.conv1.weight.grad.norm():.4f}")


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = sum((model(data).argmax(1) == target).sum().item() for data, target in loader)
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    torch.manual_seed(1)
    data = pictures(128)
    loader = DataLoader(data, batch_size=32, shuffle=True)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, args.epochs + 1):
        train(model, loader, optimizer, epoch)
        scheduler.step()
        print(f"epoch {epoch}: accuracy {accuracy(model, loader):.2f}")


if __name__ == "__main__":
    main()
