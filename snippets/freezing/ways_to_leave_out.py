import torch

for way in ("requires_grad_(False)", "w.detach()", "inputs=[v]", "left out"):
    w = torch.tensor(2.0, requires_grad=way != "requires_grad_(False)")
    v = torch.tensor(3.0, requires_grad=True)
    optimizer = torch.optim.SGD([v] if way == "left out" else [w, v], lr=0.5)
    print(way)
    for step in range(2):
        optimizer.zero_grad()
        loss = v * (w.detach() if way == "w.detach()" else w)
        loss.backward(inputs=[v] if way == "inputs=[v]" else None)
        optimizer.step()
        print(f"  step {step}: w.grad={w.grad} w={w.item()} v={v.item()}")
