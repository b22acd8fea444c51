import torch

w = torch.tensor(1.0, requires_grad=True)
kept, logged = 0, 0.0


def nodes(fn, seen):
    if fn is not None and fn not in seen:
        seen.add(fn)
        for next_fn, _ in fn.next_functions:
            nodes(next_fn, seen)
    return len(seen)


for step in range(3):
    loss = (w * step) ** 2
    loss.backward()
    kept = kept + loss
    logged += loss.item()
    print(f"step {step}: graph nodes behind kept: {nodes(kept.grad_fn, set())}")

print("kept:", kept)
print("logged:", logged)
