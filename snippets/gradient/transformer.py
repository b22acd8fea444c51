import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
text = """this is the house that jack built.
this is the malt that lay in the house that jack built.
this is the rat that ate the malt that lay in the house that jack built.
this is the cat that chased the rat that ate the malt that lay in the house that jack built.
"""
letters = sorted(set(text))
numbers = torch.tensor([letters.index(letter) for letter in text])
places, width = 32, 32


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / width**0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        shares = scores.masked_fill(later, float("-inf")).softmax(2)
        return shares @ self.value(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Sequential(nn.LayerNorm(width), Attention())
        self.think = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.ReLU(),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.look(x)
        return x + self.think(x)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(len(letters), width)
        self.place = nn.Embedding(places, width)
        self.blocks = nn.Sequential(Block(), Block())
        self.scores = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(letters)))

    def forward(self, ids):
        x = self.letter(ids) + self.place(torch.arange(ids.shape[1]))
        return self.scores(self.blocks(x))


def go_on(model, start, count):
    ids = [letters.index(letter) for letter in start]
    with torch.no_grad():
        for _ in range(count):
            scores = model(torch.tensor([ids[-places:]]))
            ids.append(scores[0, -1].argmax().item())
    return "".join(letters[i] for i in ids)


model = Transformer()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
for step in range(401):
    starts = torch.randint(len(text) - places, (16,)).tolist()
    x = torch.stack([numbers[i : i + places] for i in starts])
    next_letters = torch.stack([numbers[i + 1 : i + places + 1] for i in starts])
    optimizer.zero_grad()
    scores = model(x)
    loss = F.cross_entropy(scores.flatten(0, 1), next_letters.flatten())
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}, loss {loss.item():.1f}")
        print("   ", go_on(model, "this is the c", 40))
print("more:", go_on(model, "this is the c", 200))
print("parameters:", sum(p.numel() for p in model.parameters()))
