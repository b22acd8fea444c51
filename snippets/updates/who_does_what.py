import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.125)


def show(moment):
    print(f"{moment}: w={w.item()} w.grad={w.grad}")


show("at the start")
((2 * w + 1 - 1) ** 2).backward()
show("after backward")
optimizer.step()
show("after step")
optimizer.step()
show("after another step")
optimizer.zero_grad()
show("after zero_grad")
optimizer.step()
show("after a step without gradient")
