import torch

half = torch.nn.Linear(1, 1).half()
full = torch.nn.Linear(1, 1)

for layer in (half, full):
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.25)
    scaler = torch.amp.GradScaler("cpu")
    with torch.autocast("cpu", dtype=torch.float16):
        loss = layer(torch.ones(1, 1)).float().sum()
    scaler.scale(loss).backward()
    print(f"layer.weight.grad: {layer.weight.grad.dtype}")
    try:
        scaler.step(optimizer)
        print("  step taken")
    except ValueError as error:
        print(f"  {error}")
