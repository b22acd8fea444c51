import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a * b
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (10 * grad_inputs[0],))
try:
    y.backward()
except RuntimeError as error:
    print("one of two:", error)

y = a * b
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (10 * grad_inputs[0], grad_inputs[1]))
y.backward()
print("two of two:", a.grad, b.grad)
