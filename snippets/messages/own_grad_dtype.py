import numpy as np
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.5)
gradient = torch.from_numpy(np.array([2.0, 4.0]))
try:
    w.grad = gradient
except RuntimeError as error:
    print("float64:", str(error).split(". ")[0])

w.grad = gradient.to(w.dtype)
optimizer.step()
print("float32, w after the step:", w.tolist())
