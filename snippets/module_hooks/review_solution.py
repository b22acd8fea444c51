import torch
from torch import nn

features = []


def keep(module, args, output):
    features.append(output.detach().clone())


def log(weight):
    print("  in the hook, fc2.weight.grad:", weight.grad)


fc1 = nn.Linear(1, 1, bias=False)
fc2 = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc1.weight, 3.0)
nn.init.constant_(fc2.weight, 5.0)
kept = fc1.register_forward_hook(keep)
logged = fc2.weight.register_post_accumulate_grad_hook(log)
x = torch.tensor([[2.0]])
for batch in (1, 2):
    print("batch", batch)
    fc1.weight.grad = fc2.weight.grad = None
    loss = fc2(fc1(x)).sum()
    loss.backward()
    print("  features kept:", len(features))
    print("  fc1.weight.grad:", fc1.weight.grad)
kept.remove()
logged.remove()
fc2(fc1(x)).sum().backward()
print("after remove(), features kept:", len(features))
