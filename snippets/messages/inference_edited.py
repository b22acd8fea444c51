import torch

with torch.inference_mode():
    first = torch.tensor(3.0)
    second = torch.tensor(4.0)
try:
    first.add_(1)
except RuntimeError as error:
    print("first:", str(error).split(".")[0])

second = second.clone()
second.add_(1)
print("a clone, second:", second)
