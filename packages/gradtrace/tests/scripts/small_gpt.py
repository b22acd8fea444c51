"""A small GPT: tied weights, two groups of AdamW, accumulation over micro-batches, clipping."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    block_size: int = 16
    vocab_size: int = 24
    layers: int = 2
    heads: int = 2
    width: int = 16
    dropout: float = 0.0


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.width, 3 * config.width)
        self.c_proj = nn.Linear(config.width, config.width)
        self.heads = config.heads

    def forward(self, x):
        batch, time, width = x.shape
        split = (batch, time, self.heads, width // self.heads)
        q, k, v = (part.view(split).transpose(1, 2) for part in self.c_attn(x).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(batch, time, width))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.width)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.width)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, 4 * config.width),
            nn.GELU(),
            nn.Linear(4 * config.width, config.width),
            nn.Dropout(config.dropout),
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.width)
        self.wpe = nn.Embedding(config.block_size, config.width)
        self.h = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.ln_f = nn.LayerNorm(config.width)
        self.lm_head = nn.Linear(config.width, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if p.dim() >= 2:
                last = name.endswith(("c_proj.weight", "mlp.2.weight"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * config.layers) if last else 0.02)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.size(1)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def optimizer(self, lr, weight_decay):
        matrices = [p for p in self.parameters() if p.dim() >= 2]
        others = [p for p in self.parameters() if p.dim() < 2]
        groups = [
            {"params": matrices, "weight_decay": weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))


torch.manual_seed(1337)
config = Config()
data = torch.arange(400) * 7 % config.vocab_size
model = GPT(config)
optimizer = model.optimizer(lr=1e-3, weight_decay=0.1)
ACCUMULATION, STEPS, WARMUP = 2, 2, 2

for step in range(STEPS):
    for group in optimizer.param_groups:
        group["lr"] = 1e-3 * (step + 1) / WARMUP
    for _ in range(ACCUMULATION):
        starts = torch.randint(len(data) - config.block_size - 1, (4,)).tolist()
        x = torch.stack([data[i : i + config.block_size] for i in starts])
        y = torch.stack([data[i + 1 : i + 1 + config.block_size] for i in starts])
        loss = model(x, y) / ACCUMULATION
        loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"step {step}: loss {loss.item() * ACCUMULATION:.4f}, norm {norm:.4f}")
    print("model.ln_f.bias.grad", model.ln_f.bias.grad)
    print(f"model.wte.weight.grad.norm() {model.wte.weight.grad.norm():.4f}")
    optimizer.zero_grad(set_to_none=True)
