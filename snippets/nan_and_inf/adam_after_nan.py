import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.Adam([w], lr=0.1)
for grad in (1.0, float("nan"), 1.0):
    w.grad = torch.tensor(grad)
    optimizer.step()
    state = optimizer.state[w]
    print(f"gradient {grad}, w: {w.item():.4f}")
    print("  exp_avg:", round(state["exp_avg"].item(), 4))

with torch.no_grad():
    w.fill_(0.9)
w.grad = torch.tensor(1.0)
optimizer.step()
print("w put back, one more step, w:", w.item())
