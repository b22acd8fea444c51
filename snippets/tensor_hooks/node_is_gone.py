import torch

w = torch.tensor(2.0, requires_grad=True)
node = w.view_as(w).grad_fn.next_functions[0][0]
node.register_hook(lambda passed_on, received: print("  node hook"))
w.register_post_accumulate_grad_hook(lambda param: print("  post-accumulate hook"))

print("node kept")
(3 * w).backward()
del node
print("node not kept")
(3 * w).backward()
