import torch

v = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)


def walk(node, indent):
    if node is None:
        print(indent + "None")
    elif hasattr(node, "variable"):
        print(indent + "leaf with the value", node.variable.item())
    else:
        print(indent + node.name())
        for next_node, _ in node.next_functions:
            walk(next_node, indent + "  ")


product = v * (2 * w)
print("whole:")
walk(product.grad_fn, "  ")

product = v * (2 * w).detach()
print("with detach():")
walk(product.grad_fn, "  ")
