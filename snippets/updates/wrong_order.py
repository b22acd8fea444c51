import torch


def optimizer_of(*parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


a, b = (torch.tensor(0.0, requires_grad=True) for _ in range(2))
before = optimizer_of(a, b)
a.grad, b.grad = torch.tensor(1.0), torch.tensor(5.0)
before.step()
saved = before.state_dict()

for name, parameters in [("a, b", (a, b)), ("b, a", (b, a)), ("a", (a,))]:
    resumed = optimizer_of(*parameters)
    try:
        resumed.load_state_dict(saved)
        print(f"{name}: buffer of a:", resumed.state[a]["momentum_buffer"].item())
    except ValueError as error:
        print(f"{name}: ValueError:", error)
