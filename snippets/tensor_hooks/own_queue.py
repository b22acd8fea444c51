from collections import Counter

import torch
from torch import nn


def order_of(root):
    waits, stack, seen = Counter(), [root], {root}
    while stack:
        for node, _ in stack.pop().next_functions:
            waits[node] += 1
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    ready, order = [root], []
    while ready:
        node = max(ready, key=lambda node: node._sequence_nr())
        ready.remove(node)
        order.append(node)
        for following, _ in node.next_functions:
            waits[following] -= 1
            if following is not None and waits[following] == 0:
                ready.append(following)
    return [node for node in order if not hasattr(node, "variable")]


h = torch.ones(2, 4)
for layer in [nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)]:
    h = h + torch.tanh(layer(h))
loss = h.sum()
predicted, ran = order_of(loss.grad_fn), []
for node in predicted:
    node.register_hook(lambda *_, node=node: ran.append(node))
loss.backward()
print("nodes:", len(ran), "same order:", ran == predicted)
