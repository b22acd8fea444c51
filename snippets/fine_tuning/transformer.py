import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
rhyme = """this is the house that jack built.
this is the malt that lay in the house that jack built.
this is the rat that ate the malt that lay in the house that jack built.
this is the cat that chased the rat that ate the malt that lay in the house that jack built.
"""
other = rhyme.replace("cat", "fox").replace("rat", "hen").replace("malt", "corn")
letters = sorted(set(rhyme + other))
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


class Adapted(nn.Module):
    def __init__(self, base, r=2, alpha=4):
        super().__init__()
        self.base, self.scale = base, alpha / r
        self.A = nn.Parameter(torch.randn(r, base.in_features) / base.in_features**0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T @ self.B.T)


def train(model, text, steps, lr):
    numbers = torch.tensor([letters.index(letter) for letter in text])
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=lr)
    for _ in range(steps):
        starts = torch.randint(len(text) - places, (8,)).tolist()
        x = torch.stack([numbers[i : i + places] for i in starts])
        next_letters = torch.stack([numbers[i + 1 : i + places + 1] for i in starts])
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).flatten(0, 1), next_letters.flatten())
        loss.backward()
        optimizer.step()
    print(f"trained {sum(p.numel() for p in trained)} numbers, loss {loss.item():.2f}")
    print("   ", go_on(model, "this is the ", 43))


model = Transformer()
train(model, rhyme, 200, lr=0.01)

model.requires_grad_(False)
for block in model.blocks:
    attention = block.look[1]
    attention.query, attention.value = Adapted(attention.query), Adapted(attention.value)
    block.think[1], block.think[3] = Adapted(block.think[1]), Adapted(block.think[3])
train(model, other, 120, lr=0.02)

adapters = [m for m in model.modules() if isinstance(m, Adapted)]
for adapter in adapters:
    adapter.scale = 0
print("with the adapters off:")
print("   ", go_on(model, "this is the ", 43))
