import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x


alone = torch.tensor([3.0], requires_grad=True)
Square.apply(alone).sum().backward()
print(f"alone: {alone.grad.item()}")

x = torch.linspace(0.5, 2, 20)
y = (1.5 * x) ** 2
w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for _ in range(300):
    loss = ((Square.apply(w * x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"w: {w.item():.2f}, loss: {loss.item():.3f}")
