import warnings

import torch


def step(name, make):
    w = torch.tensor(0.0, requires_grad=True)
    w.grad = torch.tensor(1.0)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for optimizer in make(w):
                optimizer.step()
        print(f"{name}, w: {w.item():.4f}")
        for warning in caught:
            print("  UserWarning:", str(warning.message).split("; see")[0])
    except ValueError as error:
        print(f"{name}: ValueError: {error}")


sgd = torch.optim.SGD
step("once", lambda w: [sgd([w], lr=0.1)])
step("twice in one group", lambda w: [sgd([w, w], lr=0.1)])
step("in two groups", lambda w: [sgd([{"params": [w]}, {"params": [w]}], lr=0.1)])
step("in two optimizers", lambda w: [sgd([w], lr=0.1), sgd([w], lr=0.1)])
