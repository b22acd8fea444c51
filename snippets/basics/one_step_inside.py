import torch

for create_graph in (False, True):
    w = torch.tensor(1.0, requires_grad=True)
    (g,) = torch.autograd.grad(w**3, w, create_graph=create_graph)
    moved = w - 0.1 * g
    moved.backward()
    print(f"create_graph={create_graph}:")
    print(f"  moved: {moved.item():.4f}  w.grad: {w.grad.item():.4f}")
