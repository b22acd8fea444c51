import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)


def report(grad):
    print(f"hook: {grad.item():g}")
    print(f"hook, divided: {grad.item() / scaler.get_scale():g}")


def report_sum(parameter):
    print(f"post-accumulate hook: {parameter.grad.item():g}")


w.register_hook(report)
w.register_post_accumulate_grad_hook(report_sum)

scaler.scale(w**2).backward()
scaler.unscale_(optimizer)
print(f"after unscale_, w.grad: {w.grad.item():g}")
