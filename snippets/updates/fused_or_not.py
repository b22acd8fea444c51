import torch

for fused in (False, True):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=0.5, weight_decay=0.0, fused=fused)
    w.grad = torch.tensor([4.0, -2.0])
    version = w._version
    optimizer.step()
    numbers = [f"{number:.4f}" for number in w.tolist()]
    print(f"fused={fused}, w: {numbers}, version goes up by {w._version - version}")

saved = torch.optim.AdamW([w], lr=0.5).state_dict()
optimizer = torch.optim.AdamW([w], lr=0.5, fused=True)
optimizer.load_state_dict(saved)
print("after load_state_dict, fused:", optimizer.param_groups[0]["fused"])
