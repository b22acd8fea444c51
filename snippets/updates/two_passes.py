import torch

curvatures = [2.0, 6.0]


def gradient(w, micro_batches):
    w.grad = None
    for a in micro_batches:
        loss = a * w**2 / 2
        (loss / len(micro_batches)).backward()
    return w.grad


for name, second in (("both micro-batches", curvatures), ("the last one alone", curvatures[1:])):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    first = gradient(w, curvatures)
    nudge = 0.5 * first / first.norm()
    with torch.no_grad():
        w += nudge
    print(f"second pass over {name}, at {w.item()}: w.grad {gradient(w, second)}")
    with torch.no_grad():
        w -= nudge
    optimizer.step()
    print(f"  after the step, w: {w.item():.4f}")
