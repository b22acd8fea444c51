import torch

for fused in (False, True):
    w = torch.tensor(3.0, requires_grad=True)
    x = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1, fused=fused)
    print(f"fused={fused}")

    loss = w * x
    loss.backward(retain_graph=True)
    print("  first pass, x.grad:", x.grad)
    optimizer.step()

    x.grad = None
    try:
        loss.backward()
        print("  after step, x.grad:", x.grad)
    except RuntimeError as error:
        print("  after step:", str(error).split(":")[0])
