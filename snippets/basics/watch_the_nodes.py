import torch

w = torch.tensor(1.0, requires_grad=True)
factor = 2
y = factor * w - 1


def watch(node):
    def report(passed_on, received):
        came = f"received {received[0]}"
        went = f"passed on {passed_on[0]}"
        print(f"{node.name()}: {came}, {went}")

    node.register_hook(report)


watch(y.grad_fn)
watch(y.grad_fn.next_functions[0][0])
y.backward()
print("w.grad:", w.grad)
