import torch
from torch import nn

embedding = nn.Embedding(3, 2)
decoder = nn.Linear(2, 3, bias=False)
decoder.weight = embedding.weight
with torch.no_grad():
    rows = torch.tensor([[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]])
    embedding.weight.copy_(rows)

model = nn.Sequential(embedding, decoder)
print("parameters:", len(list(model.parameters())))
print("names in state_dict:", list(model.state_dict()))

word = 0
candidate = 0
scores = model(torch.tensor([word]))
scores[0, candidate].backward()
print("scores:", scores.detach())
print("weight.grad:")
print(embedding.weight.grad)
