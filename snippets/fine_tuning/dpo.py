import torch
from torch.nn.functional import logsigmoid

logits = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
chosen, rejected, beta = 0, 1, 0.1


def log_ratio(reference):
    policy = logits.log_softmax(0)
    return (policy - reference)[chosen] - (policy - reference)[rejected]


def train_step(name, reference):
    logits.grad = None
    margin = log_ratio(reference)
    loss = -logsigmoid(beta * margin)
    loss.backward()
    print(f"{name}: margin {abs(margin.item()):.2f}, loss {loss.item():.4f}")
    print("  logits.grad:", [round(g, 4) + 0.0 for g in logits.grad.tolist()])


with torch.no_grad():
    reference = logits.log_softmax(0)
train_step("reference under no_grad", reference)
train_step("reference with a graph", logits.log_softmax(0))
