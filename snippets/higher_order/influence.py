import torch

x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([3.0, 5.0, 5.0])


def fit(keep):
    return (x * y * keep).sum() / (x * x * keep).sum()


def losses(w):
    return (w * x - y) ** 2 / 2


w = fit(torch.ones(3)).requires_grad_()
(g,) = torch.autograd.grad(losses(w).sum(), w, create_graph=True)
(h,) = torch.autograd.grad(g, w)
test_loss = (w - 1) ** 2 / 2
(of_test,) = torch.autograd.grad(test_loss, w)
print("w:", w.item(), "second derivative:", h.item())
print("test loss:", test_loss.item(), "its gradient:", of_test.item())

for i in range(3):
    (of_sample,) = torch.autograd.grad(losses(w)[i], w)
    without = fit(torch.arange(3) != i)
    print("without sample", i, "whose gradient is", of_sample.item())
    print(f"  w changes by {of_sample / h:.4f}, refitted: {without - w:.4f}")
    change = (without - 1) ** 2 / 2 - test_loss
    print(f"  test loss: {of_test * of_sample / h:.4f}, refitted: {change:.4f}")
