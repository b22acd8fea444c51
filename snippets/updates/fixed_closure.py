import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=3)
loss = w**2
loss.backward()


def closure():
    print(f"closure: w={w.item():.4f} w.grad={w.grad.item():.4f}")
    return loss


optimizer.step(closure)
print("after step, w:", round(w.item(), 4))
