import torch

hidden = torch.tensor([False, True])
scores = torch.tensor([2.0, 3.0], dtype=torch.float16)
try:
    scores.masked_fill(hidden, -1e9)
except RuntimeError as error:
    print(error)

lowest = torch.finfo(scores.dtype).min
print("smallest float16:", lowest)
for name, value in [("smallest", lowest), ("-inf", float("-inf"))]:
    print(f"{name}:", scores.masked_fill(hidden, value).softmax(0).tolist())
every = torch.tensor([True, True])
for name, value in [("smallest", lowest), ("-inf", float("-inf"))]:
    print(f"{name}, all hidden:", scores.masked_fill(every, value).softmax(0).tolist())
