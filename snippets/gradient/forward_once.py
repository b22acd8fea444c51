import torch

x = torch.tensor([1.0, 2.0, -1.0, -2.0])
y = torch.tensor([3.0, 5.0, -1.0, -3.0])
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
prediction = w * x + b
try:
    for step in (1, 2, 3):
        optimizer.zero_grad()
        loss = ((prediction - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        print(f"step {step}, loss:", loss.item())
except RuntimeError as error:
    print("forward pass left out:", error)

try:
    guess = w * x + b
    guess.backward()
except RuntimeError as error:
    print("loss left out:", error)
