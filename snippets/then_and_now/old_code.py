import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for options in ({}, {"set_to_none": False}):
    w.sum().backward()
    optimizer.zero_grad(**options)
    print(f"zero_grad({options})")
    try:
        print("  norm:", w.grad.norm())
    except AttributeError as error:
        print("  AttributeError:", error)
