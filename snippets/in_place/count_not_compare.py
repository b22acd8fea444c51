import torch


def put_back(h):
    h += 1
    h -= 1


def another_element(h):
    h[2] = 5.0


def through_detach(h):
    h.detach().fill_(5.0)


def edit_a_clone(h):
    h.clone().fill_(5.0)


for edit in (put_back, another_element, through_detach, edit_a_clone):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = 2 * w
    y = h[:2] ** 2
    edit(h)
    print(edit.__name__, "version", h._version)
    try:
        y.sum().backward()
        print("  w.grad:", w.grad)
    except RuntimeError as error:
        print("  RuntimeError:", str(error).split(": ")[0])
