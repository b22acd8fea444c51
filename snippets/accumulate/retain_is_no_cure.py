import torch


def train(name, next_round, retain_graph):
    w = torch.tensor(2.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    hidden = torch.tensor(1.0)
    print(name)
    try:
        for step in range(3):
            hidden = w * next_round(hidden)
            optimizer.zero_grad()
            (hidden**2).backward(retain_graph=retain_graph)
            print(f"  step {step}, w.grad: {w.grad.item():.4f}")
            optimizer.step()
    except RuntimeError as error:
        print(f"  step {step}:", str(error).split(" (")[0].split(":")[0])


train("hidden carried on", lambda hidden: hidden, False)
train("retain_graph=True", lambda hidden: hidden, True)
train("hidden.detach()", lambda hidden: hidden.detach(), False)
