import torch

w = torch.tensor(1.0, requires_grad=True)
y = 2 * w - 1

sub = y.grad_fn
mul = sub.next_functions[0][0]
end = mul.next_functions[0][0]
print("y.grad_fn:", sub.name())
print("then:", mul.name(), " saved factor:", mul._saved_other)
print("then:", end.name())
print("its variable is w:", end.variable is w)
print("w.grad_fn:", w.grad_fn)
