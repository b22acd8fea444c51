import torch

row = torch.tensor([1.0, 2.0])
wide = row.expand(3, 2)
try:
    wide += 1
except RuntimeError as error:
    print("expand:", str(error).split(". ")[0])

wide = row.expand(3, 2).clone()
wide += 1
wide[0, 0] = 9.0
print("with clone(), wide:", wide.tolist())
print("row:", row.tolist())
