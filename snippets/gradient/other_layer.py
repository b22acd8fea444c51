from torch import nn

first, ring = nn.Linear(16, 8), nn.Linear(8, 2)
model = nn.Sequential(first, nn.Tanh(), ring)
ring.requires_grad_(False)

learning = [p for p in model.parameters() if p.requires_grad]
print("numbers that learn:", sum(p.numel() for p in learning))
