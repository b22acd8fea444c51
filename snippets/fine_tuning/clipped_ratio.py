import torch

for advantage in (1.0, -1.0):
    print("advantage", advantage)
    for value in (0.5, 0.9, 1.0, 1.1, 1.5):
        ratio = torch.tensor(value, requires_grad=True)
        clipped = ratio.clamp(0.8, 1.2)
        gain = torch.minimum(ratio * advantage, clipped * advantage)
        gain.backward()
        print(f"  ratio {value}: gain {gain.item():.1f}, slope {ratio.grad.item():.0f}")
