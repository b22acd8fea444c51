import torch

data = torch.ones(6, 1)


def train(size, slicing):
    noise = torch.zeros(size, 1, requires_grad=True)
    for x in data.split(size):
        noise.grad = None
        if slicing:
            part = noise[: len(x)]
        else:
            noise.data = torch.zeros(len(x), 1)
            part = noise
        loss = ((x + part) ** 2).sum()
        loss.backward()
    return noise.grad.flatten().tolist()


for size, slicing in ((4, False), (3, False), (4, True)):
    print(f"batches of {size}, slicing {slicing}:")
    try:
        print("  noise.grad:", train(size, slicing))
    except RuntimeError as error:
        print(" ", error)
