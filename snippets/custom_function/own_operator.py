import numpy as np
import torch
from torch.library import custom_op


@custom_op("lab::squared_relu", mutates_args=())
def squared_relu(x: torch.Tensor) -> torch.Tensor:
    positive = np.maximum(x.numpy(force=True), 0)
    return torch.from_numpy(positive**2)


@squared_relu.register_fake
def shape_only(x):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    (x,) = inputs
    ctx.save_for_backward(x)


def backward(ctx, grad_y):
    (x,) = ctx.saved_tensors
    return grad_y * 2 * x.relu()


squared_relu.register_autograd(backward, setup_context=setup_context)


def loss(x):
    return (5 * squared_relu(x)).sum()


x = torch.tensor([-1.0, 3.0], requires_grad=True)
print("y:", squared_relu(x).tolist())
compiled = torch.compile(loss, backend="aot_eager")
for name, run in {"eager": loss, "compiled": compiled}.items():
    x.grad = None
    run(x).backward()
    print(f"{name}, x.grad:", x.grad.tolist())
