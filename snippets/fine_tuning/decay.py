import torch

full = torch.tensor(5.0, requires_grad=True)
base = torch.tensor(4.0)
A = torch.tensor(1.0, requires_grad=True)
B = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.AdamW([full, A, B], lr=0.5, weight_decay=1.0)

for step in (1, 2, 3):
    for p in (full, A, B):
        p.grad = torch.zeros(())
    optimizer.step()
    lora = base + B * A
    print(f"step {step}: full {full.item()}, base + B A {lora.item()}")
