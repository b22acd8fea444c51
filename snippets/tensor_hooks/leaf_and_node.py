import torch

w = torch.tensor(2.0, requires_grad=True)
y = 3 * w
node = y.grad_fn.next_functions[0][0]
print("node:", node.name(), "of w:", node.variable is w)


def report(label):
    def show(*_):
        print(f"{label}, w.grad: {w.grad}")

    return show


node.register_hook(report("node hook"))
node.register_prehook(report("node pre-hook"))
w.register_post_accumulate_grad_hook(report("post-accumulate hook"))
w.register_hook(report("tensor hook"))
y.backward()
