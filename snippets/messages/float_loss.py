import torch

w = torch.tensor(3.0, requires_grad=True)
loss = w**2
for name, wrong in [("a number", loss.item()), ("a tuple", (loss, w))]:
    try:
        wrong.backward()
    except AttributeError as error:
        print(f"{name}: {error}")

loss.backward()
print("the tensor, w.grad:", w.grad)
print("for the log:", loss.item())
