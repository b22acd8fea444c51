import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")
loss = 3 * w
loss.backward()
try:
    scaler.step(optimizer)
except AssertionError as error:
    print("loss.backward():", str(error).split(".  ")[0])

optimizer.zero_grad()
scaler.scale(3 * w).backward()
scaler.step(optimizer)
scaler.update()
print("scaler.scale(loss), w:", w.item())
