"""One network for three pictures, and a triplet loss: like lies near like."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(13)


class Triplets(Dataset):
    """Two noisy copies of one shape, and one of another."""

    def __init__(self, count):
        self.shapes = torch.randn(5, 1, 12, 12)
        self.pairs = torch.stack([torch.randperm(5)[:2] for _ in range(count)])

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        same, other = self.pairs[index]
        one, two, three = (0.5 * torch.randn(1, 12, 12) for _ in range(3))
        return self.shapes[same] + one, self.shapes[same] + two, self.shapes[other] + three


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 3), nn.PReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3), nn.PReLU()
        )
        self.fc = nn.Linear(8 * 3 * 3, 4)

    def forward(self, x):
        return F.normalize(self.fc(self.features(x).flatten(1)), dim=1)


model = Embedder()
criterion = nn.TripletMarginLoss(margin=1.0)
optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
loader = DataLoader(Triplets(32), batch_size=8, shuffle=True)

for batch, (anchor, positive, negative) in enumerate(loader):
    optimizer.zero_grad()
    loss = criterion(model(anchor), model(positive), model(negative))
    loss.backward()
    optimizer.step()
    print(f"batch {batch}: loss {loss.item():.4f}")
    print("model.fc.bias.grad", model.fc.bias.grad)
    print("model.features.1.weight.grad", model.features[1].weight.grad)
