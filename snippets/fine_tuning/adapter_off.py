import torch
from torch.nn.functional import logsigmoid

W = torch.tensor([[0.0], [0.0], [0.0]])
A = torch.tensor([[1.0]], requires_grad=True)
B = torch.zeros(3, 1, requires_grad=True)
x, beta = torch.tensor([1.0]), 0.1
chosen, rejected = 0, 1


def log_probs(adapter_on):
    logits = W @ x
    if adapter_on:
        logits = logits + B @ (A @ x)
    return logits.log_softmax(0)


optimizer = torch.optim.SGD([A, B], lr=20.0)
for step in (1, 2, 3):
    with torch.no_grad():
        reference = log_probs(adapter_on=False)
    gain = log_probs(adapter_on=True) - reference
    margin = gain[chosen] - gain[rejected]
    loss = -logsigmoid(beta * margin)
    optimizer.zero_grad()
    loss.backward()
    print(f"step {step}: margin {abs(margin.item()):.2f}, loss {loss.item():.4f}")
    print(f"  B.grad of chosen: {B.grad[chosen].item():.4f}")
    optimizer.step()
