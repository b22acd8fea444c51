import torch

w = torch.tensor(3.0, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=2)
try:
    optimizer.step()
except TypeError as error:
    print("step():", error)


def closure():
    optimizer.zero_grad()
    loss = w**2
    loss.backward()
    return loss


print("step(closure), loss before:", optimizer.step(closure).item())
print("loss after:", closure().item())
