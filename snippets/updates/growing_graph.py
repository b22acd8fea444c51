import torch


def nodes(node):
    return 0 if node is None else 1 + sum(nodes(n) for n, _ in node.next_functions)


def train(cure):
    w = torch.tensor(1.0, requires_grad=True)
    for step in range(3):
        loss = w**2
        loss.backward()
        print(f"  step {step}: w.grad={w.grad.item()} nodes: {nodes(loss.grad_fn)}")
        if cure == "no_grad":
            with torch.no_grad():
                w -= 0.25 * w.grad
            w.grad = None
        else:
            w = w - 0.25 * w.grad
            w.retain_grad()


for cure in ("no_grad", "retain_grad"):
    print(f"{cure}:")
    train(cure)
