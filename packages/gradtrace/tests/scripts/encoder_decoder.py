"""A transformer that learns to turn sequences around: encoder, decoder, masks."""

import torch
from torch import nn

torch.manual_seed(8)
WORDS, WIDTH, LENGTH, START = 12, 16, 6, 1


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(LENGTH + 1, WIDTH) * 0.1)
        self.transformer = nn.Transformer(
            WIDTH, 2, 1, 1, dim_feedforward=32, dropout=0.0, batch_first=True
        )
        self.head = nn.Linear(WIDTH, WORDS)

    def embed(self, tokens):
        return self.words(tokens) * WIDTH**0.5 + self.places[: tokens.size(1)]

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        out = self.transformer(self.embed(source), self.embed(target), tgt_mask=mask)
        return self.head(out)


def batch(size):
    source = torch.randint(2, WORDS, (size, LENGTH))
    target = torch.cat([torch.full((size, 1), START), source.flip(1)], dim=1)
    return source, target


@torch.no_grad()
def decode(model, source):
    model.eval()
    tokens = torch.full((len(source), 1), START)
    for _ in range(LENGTH):
        following = model(source, tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, following], dim=1)
    model.train()
    return tokens[:, 1:]


model = Reverser()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
criterion = nn.CrossEntropyLoss()

for step in range(3):
    source, target = batch(8)
    logits = model(source, target[:, :-1])
    loss = criterion(logits.reshape(-1, WORDS), target[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    print(f"step {step}: loss {loss.item():.4f}")
    print("model.head.bias.grad", model.head.bias.grad)
    print(f"model.places.grad.norm() {model.places.grad.norm():.4f}")

source, target = batch(2)
print(decode(model, source).shape)
