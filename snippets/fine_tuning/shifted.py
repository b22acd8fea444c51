import torch
from torch.nn.functional import cross_entropy

texts = [torch.tensor([1, 0, 1]), torch.tensor([0, 0, 1, 1, 0, 1])]
bias = torch.zeros(2, requires_grad=True)


def next_token_loss(text):
    logits = bias.expand(len(text), 2)
    return cross_entropy(logits[:-1], text[1:], reduction="sum")


total_loss = sum(next_token_loss(text) for text in texts)
before = sum(len(text) for text in texts)
after = sum(len(text[1:]) for text in texts)
print("labels before the shift:", before)
print("labels after the shift:", after)
print(f"loss, divided by {before}: {(total_loss / before).item():.4f}")
print(f"loss, divided by {after}: {(total_loss / after).item():.4f}")
