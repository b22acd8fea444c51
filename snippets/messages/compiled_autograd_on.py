import torch
from torch import nn

model = nn.Tanh()
model.register_full_backward_hook(lambda module, grad_input, grad_output: (10 * grad_input[0],))
w = torch.tensor(0.0, requires_grad=True)
for on in (True, False):
    torch.compiler.reset()
    with torch._dynamo.config.patch(compiled_autograd=on):
        try:
            torch.compile(lambda w: model(w), backend="aot_eager")(w).backward()
            print(f"compiled_autograd={on}, w.grad:", w.grad)
        except AssertionError as error:
            print(f"compiled_autograd={on}:", error)
