import copy
import pickle
from collections import Counter
from functools import partial

import torch
from torch import nn
from torch.autograd.graph import register_multi_grad_hook

fired = Counter()


def count(kind, *args):
    fired[kind] += 1


def train(net, sgd):
    fired.clear()
    x = torch.ones(1, 1, requires_grad=True)
    net(x).backward()
    sgd.step()
    return dict(fired)


net = nn.Linear(1, 1, bias=False)
w = net.weight
sgd = torch.optim.SGD([w])
net.register_forward_pre_hook(partial(count, "forward pre-hook"))
net.register_forward_hook(partial(count, "forward hook"))
net.register_full_backward_pre_hook(partial(count, "full backward pre-hook"))
net.register_full_backward_hook(partial(count, "full backward hook"))
w.register_hook(partial(count, "tensor hook on w"))
w.register_post_accumulate_grad_hook(partial(count, "post-accumulate hook"))
register_multi_grad_hook([w], partial(count, "multi-grad hook"))
sgd.register_step_pre_hook(partial(count, "step pre-hook"))
sgd.register_step_post_hook(partial(count, "step post-hook"))

own = train(net, sgd)
copied = train(*copy.deepcopy((net, sgd)))
loaded = train(*pickle.loads(pickle.dumps((net, sgd))))
for kind, times in own.items():
    print(f"{kind}: {times}, copied: {copied.get(kind, 0)}, pickled: {loaded.get(kind, 0)}")
