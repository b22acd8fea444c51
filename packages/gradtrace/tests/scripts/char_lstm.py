"""A character model with an LSTM that is given packed sequences of different lengths."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(6)
LINES = ["to be or not to be", "that is the question", "the rest is silence", "words words"]
alphabet = sorted(set("".join(LINES)))
number = {letter: i + 1 for i, letter in enumerate(alphabet)}


class CharLSTM(nn.Module):
    def __init__(self, letters, width=12):
        super().__init__()
        self.embedding = nn.Embedding(letters + 1, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(width, letters + 1)

    def forward(self, letters, lengths):
        packed = pack_padded_sequence(
            self.embedding(letters), lengths, batch_first=True, enforce_sorted=False
        )
        output, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(output)


lines = [torch.tensor([number[letter] for letter in line]) for line in LINES]
inputs = pad_sequence([line[:-1] for line in lines], batch_first=True)
targets = pad_sequence([line[1:] for line in lines], batch_first=True)
lengths = torch.tensor([len(line) - 1 for line in lines])

model = CharLSTM(len(alphabet))
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss(ignore_index=0)

for epoch in range(4):
    optimizer.zero_grad()
    logits = model(inputs, lengths)
    loss = criterion(logits.transpose(1, 2), targets)
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 0.05)
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
    print("model.head.bias.grad", model.head.bias.grad)
    print("model.embedding.weight.grad[0]", model.embedding.weight.grad[0].abs().sum().item())
