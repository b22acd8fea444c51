import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
query, key, value = (2 * x).chunk(3)
node = query.grad_fn
print("one node:", node is key.grad_fn is value.grad_fn, node.name())


def before(grads):
    print("pre-hook:", [grad if grad is None else grad.item() for grad in grads])
    return tuple(grad if grad is None else grad / 2 for grad in grads)


query.register_hook(lambda grad: 10 * grad)
node.register_prehook(before)
(query + 4 * key).sum().backward()
print("x.grad:", x.grad.tolist())
