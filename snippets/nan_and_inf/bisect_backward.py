import torch

a = 0.0
x = torch.tensor([a, 4.0], requires_grad=True)
square = x * x
root = torch.sqrt(square)
loss = (root + 1).sum()


def look(name):
    def hook(grad):
        print(f"gradient at {name}: {grad.tolist()}")
        print("  finite:", grad.isfinite().all().item())

    return hook


root.register_hook(look("root"))
square.register_hook(look("square"))
x.register_hook(look("x"))
print("loss:", loss.item())
loss.backward()
