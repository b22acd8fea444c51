import torch
from torch import nn

embedding = nn.Embedding(3, 2)
bag = nn.EmbeddingBag.from_pretrained(embedding.weight, freeze=False)
print("same storage:", bag.weight.data_ptr() == embedding.weight.data_ptr())
print("same object:", bag.weight is embedding.weight)

bag(torch.tensor([[0, 1]])).sum().backward()
print("bag.weight.grad:")
print(bag.weight.grad)
print("embedding.weight.grad:", embedding.weight.grad)

frozen = nn.EmbeddingBag.from_pretrained(embedding.weight)
print("by default, requires_grad:", frozen.weight.requires_grad)
