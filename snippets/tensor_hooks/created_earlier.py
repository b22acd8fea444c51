import torch

w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(5.0, requires_grad=True)
product = w * v
triple = 3 * w
square = triple**2
loss = square + product

order = []
for name, result in {"loss": loss, "product": product, "square": square, "triple": triple}.items():
    result.grad_fn.register_hook(lambda *_, name=name: order.append(name))
loss.backward()
print("runs second:", order[1])
print("order:", *order)
print("w.grad:", w.grad.item())
