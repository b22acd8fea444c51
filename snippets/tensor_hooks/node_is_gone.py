import torch

w = torch.tensor(2.0, requires_grad=True)
node = w.view_as(w).grad_fn.next_functions[0][0]
node.register_hook(lambda *_: print("  node hook"))
w.register_hook(lambda grad: print("  tensor hook"))

print("node kept")
(3 * w).backward()
del node
print("node not kept")
(3 * w).backward()
