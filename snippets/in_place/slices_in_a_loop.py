import torch

w = torch.tensor(2.0, requires_grad=True)
h = torch.ones(4)
for t in range(1, 4):
    last = h[t - 1]
    where = f"offset {last.storage_offset()} version {last._version}"
    print(f"saved h[{t - 1}]: {last.detach()!r} {where}")
    h[t] = last * w
print(f"h: {h.detach()} version {h._version}")

try:
    h.sum().backward()
except RuntimeError as error:
    message = str(error).split(": ")[1]
    print(message.removesuffix(" Hint"))
