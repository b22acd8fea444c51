import torch


def with_hook(state):
    state.register_hook(lambda grad: 0.5 * grad)
    return state


def without_hook(state):
    return 0.5 * state + 0.5 * state.detach()


for halve in (with_hook, without_hook):
    x = torch.tensor(3.0, requires_grad=True)
    state = halve(2 * x)
    loss = state**2
    loss.backward()
    print(f"{halve.__name__}, state:", state.item())
    print(f"{halve.__name__}, x.grad:", x.grad)
