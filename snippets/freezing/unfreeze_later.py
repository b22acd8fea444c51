import torch

for name in ("all", "trainable only", "added later"):
    encoder = torch.tensor(2.0)
    decoder = torch.tensor(3.0, requires_grad=True)
    parameters = [encoder, decoder] if name == "all" else [decoder]
    optimizer = torch.optim.SGD(parameters, lr=0.5)
    (encoder * decoder).backward()
    optimizer.step()
    print(name)
    print(f"  frozen, encoder: {encoder}, decoder: {decoder}")

    encoder.requires_grad_(True)
    if name == "added later":
        optimizer.add_param_group({"params": [encoder]})
    optimizer.zero_grad()
    (encoder * decoder).backward()
    optimizer.step()
    print(f"  encoder.grad: {encoder.grad}, encoder: {encoder}")
