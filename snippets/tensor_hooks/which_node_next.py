import torch

w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(5.0, requires_grad=True)
triple = 3 * w
square = triple**2
product = w * v
loss = square + product

results = {"triple": triple, "square": square, "product": product, "loss": loss}
first = triple.grad_fn._sequence_nr()
for name, result in results.items():
    node = result.grad_fn
    print(f"{name}: number {node._sequence_nr() - first}")
    node.register_hook(lambda *_, name=name: print("runs:", name))
for name, leaf in {"w": w, "v": v}.items():
    leaf.register_post_accumulate_grad_hook(
        lambda leaf, name=name: print(f"writes {name}.grad:", leaf.grad.item())
    )
loss.backward()
