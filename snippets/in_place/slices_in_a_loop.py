import torch

w = torch.tensor(2.0, requires_grad=True)
h = torch.ones(4)
for t in range(1, 4):
    last = h[t - 1]
    print(f"t = {t}, h[{t - 1}] is saved at version {last._version}")
    h[t] = last * w
print("h:", h.detach(), "version", h._version)

try:
    h.sum().backward()
except RuntimeError as error:
    message = str(error).split(": ")[1]
    print(message.removesuffix(" Hint"))
