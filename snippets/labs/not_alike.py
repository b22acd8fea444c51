import torch

ordered = torch.tensor([1.0] * 32 + [-1.0] * 32)
one_huge = torch.tensor([64.0] + [0.0] * 63)
torch.manual_seed(0)
kinds = {
    "shuffled": (ordered, True),
    "in order": (ordered, False),
    "one huge, shuffled": (one_huge, True),
}
for name, (gradients, shuffle) in kinds.items():
    full = gradients.mean()
    print(f"{name}, full gradient {full:.0f}")
    for size in (1, 4, 16):
        rounds = []
        for _ in range(200):
            order = torch.randperm(64) if shuffle else torch.arange(64)
            rounds.append(gradients[order].view(-1, size).mean(dim=1))
        distance = (torch.cat(rounds) - full).abs()
        spread = distance.square().mean().sqrt()
        print(f"  size {size}: spread {spread:.2f}, median distance {distance.median():.2f}")
