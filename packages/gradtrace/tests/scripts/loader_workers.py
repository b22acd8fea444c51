"""Batches that are made in a process of their own while the model trains."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spirals(Dataset):
    """Points on two spirals, each made when it is asked for."""

    def __len__(self):
        return 48

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(index)
        arm, radius = index % 2, torch.rand(1, generator=g)
        angle = 4 * radius + torch.pi * arm
        point = torch.cat([radius * angle.cos(), radius * angle.sin()])
        return point, arm, os.getpid()


def main():
    torch.manual_seed(24)
    loader = DataLoader(
        Spirals(), batch_size=12, shuffle=True, num_workers=1, persistent_workers=True
    )
    model = nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        for point, arm, process in loader:
            loss = nn.functional.cross_entropy(model(point), arm)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.4f}, made here: {process[0] == os.getpid()}")
            print("model.2.bias.grad", model[2].bias.grad)
            print("model.0.weight.grad", model[0].weight.grad)


if __name__ == "__main__":
    main()
