import torch
from torch import nn

torch.manual_seed(0)
images = torch.tensor([[3.0], [5.0]] * 8)


def train(way):
    norm = nn.BatchNorm1d(1, momentum=0.5)
    encoder = nn.Sequential(norm, nn.Dropout())
    decoder = nn.Linear(1, 1)
    model = nn.Sequential(encoder, decoder)
    encoder.requires_grad_(False)
    if way == "eval() once":
        encoder.eval()
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for _ in range(3):
        model.train()
        if way == "eval() after each train()":
            encoder.eval()
        code = encoder(images)
        optimizer.zero_grad()
        decoder(code).square().mean().backward()
        optimizer.step()
    print(f"{way}, mean: {norm.running_mean.item()}")
    print(f"{way}, zeros in the code: {bool((code == 0).any())}")


for way in ("no eval()", "eval() once", "eval() after each train()"):
    train(way)
