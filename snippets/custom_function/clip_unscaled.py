import torch


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, limit, scale):
        ctx.limit, ctx.scale = limit, scale
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        grad = grad_y.float() / ctx.scale
        grad = grad.clamp(-ctx.limit, ctx.limit)
        return (grad * ctx.scale).to(grad_y.dtype), None, None


w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
scaler = torch.amp.GradScaler("cpu")

for number in range(1, 4):
    optimizer.zero_grad()
    scale = scaler.get_scale()
    h = ClipGradient.apply(w.half(), 2.0, scale)
    h.register_hook(lambda grad: print("  grad_y:", grad.item()))
    loss = (3 * h).float()
    print(f"step {number}, scale: {scale:g}")
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    print("  unscaled w.grad:", w.grad.item())
    scaler.step(optimizer)
    scaler.update()
    print("  w:", w.item())
