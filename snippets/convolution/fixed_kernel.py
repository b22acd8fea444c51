import torch
import torch.nn.functional as F
from torch import nn


class Differences(nn.Module):
    def __init__(self):
        super().__init__()
        kernel = torch.tensor([-1.0, 1.0])
        self.register_buffer("kernel", kernel.view(1, 1, 1, 2))

    def forward(self, image):
        return F.conv2d(image, self.kernel)


differences = Differences()
row = torch.tensor([0.0, 0.0, 3.0, 3.0])
image = row.view(1, 1, 1, 4).requires_grad_()
result = differences(image)
result.sum().backward()

print("result:", result.detach().flatten())
print("image.grad:", image.grad.flatten())
print("parameters:", len(list(differences.parameters())))
print("state_dict holds:", list(differences.state_dict()))
