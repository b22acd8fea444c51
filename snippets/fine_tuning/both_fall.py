import torch
from torch.nn.functional import logsigmoid

features = torch.tensor([1.0, 2.0, -2.0])
h = torch.tensor(0.0, requires_grad=True)
chosen, rejected = 0, 1
optimizer = torch.optim.SGD([h], lr=1.0)

for step in range(3):
    log_probs = (features * h).log_softmax(0)
    margin = log_probs[chosen] - log_probs[rejected]
    loss = -logsigmoid(margin)
    p = log_probs.exp()
    print(f"step {step}: h {h.item():.2f}, loss {loss.item():.2f}")
    print(f"  chosen {p[0].item():.2f}, rejected {p[1].item():.2f}, other {p[2].item():.2f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
