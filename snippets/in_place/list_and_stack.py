import torch

w = torch.tensor(2.0, requires_grad=True)
states = [torch.tensor(1.0)]
for _ in range(3):
    states.append(states[-1] * w)
h = torch.stack(states)
loss = h.sum()

loss.backward()
print("h:", h.detach())
print("w.grad:", w.grad)
