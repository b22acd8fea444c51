import torch


def tones(batch, length):
    """Sine waves of random pitch with a little noise."""
    pitch = 0.2 + 0.6 * torch.rand(batch, 1, 1)
    return torch.sin(pitch * torch.arange(length)) + 0.05 * torch.randn(batch, 1, length)
