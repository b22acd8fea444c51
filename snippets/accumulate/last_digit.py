import torch


def gradient(dtype, together):
    w = torch.tensor(1.0, dtype=dtype, requires_grad=True)
    y = 0.1 * w
    loss1, loss2 = 0.1 * y, 0.7 * y
    if together:
        (loss1 + loss2).backward()
    else:
        loss1.backward(retain_graph=True)
        loss2.backward()
    return w.grad.item()


for dtype in (torch.float32, torch.float64):
    print(dtype)
    print(f"  sum first, w.grad: {gradient(dtype, True):.17f}")
    print(f"  one by one, w.grad: {gradient(dtype, False):.17f}")
