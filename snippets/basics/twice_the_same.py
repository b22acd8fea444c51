import torch

w = torch.tensor(3.0, requires_grad=True)

for name, y in [("w**2", w**2), ("w * w", w * w)]:
    ends = [node for node, index in y.grad_fn.next_functions]
    print(f"{name}: {y.grad_fn.name()}, ways on:", len(ends))
    print("  different nodes at their end:", len(set(ends)))
    w.grad = None
    y.backward()
    print("  w.grad:", w.grad)
