import torch

w = torch.tensor(2.0, requires_grad=True)
y = 3 * w
node = y.grad_fn.next_functions[0][0]
print("node:", node.name(), "of w:", node.variable is w)


def show(label, grad):
    print(f"{label}: {grad}, w.grad: {w.grad}")


node.register_hook(lambda passed_on, received: show("node hook", received[0]))
node.register_prehook(lambda received: show("node pre-hook", received[0]))
w.register_post_accumulate_grad_hook(lambda p: show("post-accumulate hook", p.grad))
w.register_hook(lambda grad: show("tensor hook", grad))
y.backward()
