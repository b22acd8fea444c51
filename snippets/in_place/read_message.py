import torch

w = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
h = 2 * w
h += 1
print("h:", h.detach(), "version", h._version)
y = h**2
h -= 1
print("h:", h.detach(), "version", h._version)
loss = y.sum() + h.sum()

try:
    loss.backward()
except RuntimeError as error:
    message = str(error).split(" Hint")[0]
    message = message.replace(": ", ":\n")
    message = message.replace(", ", ",\n")
    message = message.replace("; ", ";\n")
    print(message)
