import torch

for name in ("all", "trainable only", "trainable only, added later"):
    encoder = torch.tensor(2.0)
    decoder = torch.tensor(3.0, requires_grad=True)
    parameters = [encoder, decoder] if name == "all" else [decoder]
    optimizer = torch.optim.SGD(parameters, lr=0.5)
    (encoder * decoder).backward()
    optimizer.step()
    print(f"{name}: frozen, encoder: {encoder}, decoder: {decoder}")

    encoder.requires_grad_(True)
    if name.endswith("later"):
        optimizer.add_param_group({"params": [encoder]})
    optimizer.zero_grad()
    (encoder * decoder).backward()
    optimizer.step()
    print(f"  unfrozen, encoder.grad: {encoder.grad}, encoder: {encoder}")
