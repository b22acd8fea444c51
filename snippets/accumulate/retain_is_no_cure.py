import torch

w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
carried = torch.tensor(1.0)

try:
    for step in range(3):
        carried = w * carried
        optimizer.zero_grad()
        carried.backward(retain_graph=True)
        print(f"step {step}, w.grad: {w.grad.item():.4f}")
        optimizer.step()
except RuntimeError as error:
    print(f"step {step}, RuntimeError:", str(error).split(":")[0])
