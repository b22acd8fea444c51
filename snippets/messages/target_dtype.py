import torch
import torch.nn.functional as F

p = torch.tensor([0.5, 0.5], requires_grad=True)
for loss in (F.binary_cross_entropy, F.huber_loss):
    print(loss.__name__)
    for dtype in (torch.float16, torch.float64, torch.int64):
        target = torch.zeros(2, dtype=dtype)
        try:
            loss(p, target).backward()
        except RuntimeError as error:
            print(f"  {dtype} target: {error}")

    p.grad = None
    loss(p, target.to(p.dtype)).backward()
    print("  target.to(p.dtype), p.grad:", p.grad)

target = torch.zeros(2, dtype=torch.float64)
loss = F.mse_loss(p, target)
p.grad = None
loss.backward()
print("mse_loss, loss:", loss.dtype, "p.grad:", p.grad.dtype)
