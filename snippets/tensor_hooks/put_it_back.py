import torch

w = torch.tensor([4.0, 4.0], requires_grad=True)
optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.5)

for _ in range(2):
    optimizer.zero_grad()
    (3 * w).sum().backward()
    optimizer.step()
    with torch.no_grad():
        w[1] = 4.0
print("w[1] after two steps:", w[1].item())
print("w[0] has moved:", w[0].item() != 4.0)
