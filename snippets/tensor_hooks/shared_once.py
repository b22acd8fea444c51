import torch

w = torch.tensor(2.0, requires_grad=True)


def step(param):
    print("fires, param.grad:", param.grad)
    param.sub_(0.25 * param.grad)


w.register_post_accumulate_grad_hook(step)
(3 * w + w**2).backward()
print("w:", w.item())
