import torch

v = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
names = {v: "v", w: "w"}


def walk(node, indent, seen):
    if node is None:
        print(indent + "None")
    elif hasattr(node, "variable"):
        shape = tuple(node.variable.shape)
        print(indent + names[node.variable], "with shape", shape)
    elif node not in seen:
        seen.add(node)
        print(indent + node.name())
        for next_node, _ in node.next_functions:
            walk(next_node, indent + "  ", seen)


product = v.sum() * (2 * w).sum()
print("whole:")
walk(product.grad_fn, "  ", set())

product = v.sum() * (2 * w).detach().sum()
print("with detach():")
walk(product.grad_fn, "  ", set())
