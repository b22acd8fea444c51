import torch
from torch import nn
from torch.autograd.graph import register_multi_grad_hook, saved_tensors_hooks


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(3.0))

    def forward(self, x):
        return self.w * x


def say(what, value):
    print(f"  {what}: {value.item():g}")


net = Scale()
w = net.w
x = torch.tensor(2.0, requires_grad=True)
sgd = torch.optim.SGD([w], lr=0.1)

net.register_forward_pre_hook(lambda m, args: say("forward pre-hook", args[0]))
net.register_forward_hook(lambda m, args, y: say("forward hook", y))
net.register_full_backward_pre_hook(lambda m, g: say("full backward pre-hook", g[0]))
net.register_full_backward_hook(lambda m, g, _: say("full backward hook", g[0]))
w.register_hook(lambda g: say("tensor hook on w", g))
w.register_post_accumulate_grad_hook(lambda w: say("post-accumulate hook", w.grad))
register_multi_grad_hook([x, w], lambda grads: say("multi-grad hook", grads[0]))
sgd.register_step_pre_hook(lambda *args: say("step pre-hook", w))
sgd.register_step_post_hook(lambda *args: say("step post-hook", w))
save = saved_tensors_hooks(
    lambda tensor: say("pack hook", tensor) or tensor,
    lambda tensor: say("unpack hook", tensor) or tensor,
)

print("forward pass")
with save:
    y = net(x)
y.register_hook(lambda g: say("tensor hook on y", g))
node = y.grad_fn.next_functions[0][0]
node.register_prehook(lambda g: say("node pre-hook", g[0]))
node.register_hook(lambda inputs, outputs: say("node hook", inputs[0]))

print("backward pass")
(5 * y).backward()

print("optimizer step")
sgd.step()
