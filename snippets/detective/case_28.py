import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x = torch.randn(8, 4)
block = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 1))


def gradient(saving):
    torch.manual_seed(1)
    block.zero_grad()
    if saving:
        options = dict(use_reentrant=False, preserve_rng_state=False)
        output = checkpoint(block, x, **options)
    else:
        output = block(x)
    loss = (output**2).mean()
    loss.backward()
    return loss.item(), block[2].weight.grad.clone()


plain_loss, plain = gradient(saving=False)
saving_loss, saving = gradient(saving=True)
print("same loss:", plain_loss == saving_loss)
print("same gradient:", torch.allclose(plain, saving))
