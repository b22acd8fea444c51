import torch
from torch import nn

with torch.device("meta"):
    model = nn.Sequential(nn.Embedding(2, 2), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
embedding, output = model


def report(name):
    same = output.weight is embedding.weight
    print(f"{name}: one parameter {same}, listed {len(list(model.parameters()))}")


report("on meta")
model.to_empty(device="cpu")
report("after to_empty()")
table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
model.load_state_dict({"0.weight": table, "1.weight": table})
model(torch.tensor([0]))[0, 0].backward()
print("  loaded, embedding's gradient:", embedding.weight.grad[0])

output.weight = embedding.weight
model.zero_grad()
report("tied again")
model(torch.tensor([0]))[0, 0].backward()
print("  embedding's gradient:", embedding.weight.grad[0])
