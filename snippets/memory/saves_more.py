import torch
from torch.utils.checkpoint import CheckpointError, checkpoint


def run(early_stop):
    inputs = []

    def block(x):
        inputs.append(x)
        y = x.sin()
        return y if len(inputs) == 1 else y.exp()

    print("early_stop", early_stop)
    x = torch.tensor(0.0, requires_grad=True)
    y = checkpoint(block, x, use_reentrant=False, early_stop=early_stop)
    try:
        y.backward()
        print("  x.grad:", x.grad)
    except CheckpointError as error:
        print(f"  {str(error).splitlines()[0]}")


run(True)
run(False)
