import torch

w = torch.tensor(2.0, requires_grad=True)
targets = iter([5.0, 6.0])
print("number of targets:", len(list(targets)))
loss = 0
for target in targets:
    loss = loss + (w - target) ** 2
try:
    loss.backward()
except AttributeError as error:
    print("iterator used up:", error)

for target in [5.0, 6.0]:
    loss = loss + (w - target) ** 2
loss.backward()
print("a list, w.grad:", w.grad)
