import torch

w = torch.tensor(1.0, requires_grad=True)
factor = 2
y = factor * w - 1


def watch(node):
    def report(passed_on, received):
        print(f"{node.name()}: received {received[0]}, passed on {passed_on[0]}")

    node.register_hook(report)


watch(y.grad_fn)
watch(y.grad_fn.next_functions[0][0])
y.backward()
print("w.grad:", w.grad)
