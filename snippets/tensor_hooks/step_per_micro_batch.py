import torch


def train(inside):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)

    def step(param):
        print("  step, w.grad:", param.grad)
        optimizer.step()
        optimizer.zero_grad()

    if inside:
        w.register_post_accumulate_grad_hook(step)
    for _ in range(2):
        (w**2 / 2).backward()
    if not inside:
        step(w)
    print("  w:", w.item())


print("one step after two micro-batches")
train(inside=False)
print("step inside backward")
train(inside=True)
