import torch

for second in (1.0, 0.0, -1.0):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    print(f"gradients 1, then {second}:")
    for step, gradient in [(1, 1.0), (2, second)]:
        before = w.item()
        w.grad = torch.tensor(gradient)
        optimizer.step()
        m, v = optimizer.state[w]["exp_avg"], optimizer.state[w]["exp_avg_sq"]
        print(f"  step {step}: m={m:.4f} v={v:.6f}")
        print(f"    w moves by {w.item() - before:.4f}")
