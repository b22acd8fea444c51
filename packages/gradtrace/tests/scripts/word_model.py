"""A word model over a long text: the hidden state goes on, its graph is cut at each piece."""

import math

import torch
from torch import nn

torch.manual_seed(18)
TEXT = "the cat sat on the mat the dog sat on the log the cat saw the dog and the dog saw the cat "


class WordModel(nn.Module):
    def __init__(self, words, width=10):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width)
        self.decoder = nn.Linear(width, words)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens, hidden):
        output, hidden = self.rnn(self.encoder(tokens), hidden)
        return self.decoder(output), hidden


def repackage(hidden):
    """The same numbers without their history."""
    return hidden.detach()


words = sorted(set(TEXT.split()))
tokens = torch.tensor([words.index(word) for word in (TEXT * 4).split()])
columns = tokens[: len(tokens) // 4 * 4].view(4, -1).t().contiguous()
PIECE, RATE = 5, 0.5

model = WordModel(len(words))
criterion = nn.CrossEntropyLoss()
hidden = torch.zeros(1, 4, 10)
for batch, start in enumerate(range(0, 4 * PIECE, PIECE)):
    data = columns[start : start + PIECE]
    targets = columns[start + 1 : start + 1 + PIECE].reshape(-1)
    model.zero_grad()
    hidden = repackage(hidden)
    output, hidden = model(data, hidden)
    loss = criterion(output.view(-1, len(words)), targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-RATE)
    print(f"batch {batch}: loss {loss.item():.4f}, perplexity {math.exp(loss.item()):.2f}")
    print("model.decoder.bias.grad", model.decoder.bias.grad)
    print(f"model.encoder.weight.grad.norm() {model.encoder.weight.grad.norm():.4f}")
