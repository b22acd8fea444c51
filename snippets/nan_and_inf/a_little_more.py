import torch

for low in (-5.0, -30.0):
    scores = torch.tensor([0.0, low], requires_grad=True)
    p = torch.softmax(scores, dim=0)
    loss = -torch.log(p[1] + 1e-8)
    loss.backward()
    print(f"score {low:g}, loss: {loss.item():.4f}")
    print(f"  gradient: {scores.grad[1].item():.4f}")
half = torch.tensor(1e-8, dtype=torch.float16)
print("1e-8 in float16:", half.item())
