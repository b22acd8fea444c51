import torch
import torch.nn.functional as F

x = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(1, 4, 1)
grouped = torch.arange(1.0, 9.0).view(4, 2, 1).requires_grad_()
blocks = torch.block_diag(grouped[:2, :, 0], grouped[2:, :, 0])
dense = blocks.detach().view(4, 4, 1).requires_grad_()
print("block-diagonal matrix:")
print(blocks.detach())

y = F.conv1d(x, grouped, groups=2)
z = F.conv1d(x, dense)
print("groups=2:", y.flatten().tolist())
print("groups=1:", z.flatten().tolist())

y.sum().backward()
z.sum().backward()
print("grouped.grad:")
print(grouped.grad[:, :, 0])
print("dense.grad:")
print(dense.grad[:, :, 0])
