import torch


def train(bad_gradient):
    w = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.Adam([w], lr=0.1)
    w.grad = torch.tensor(1.0)
    optimizer.step()
    print(f"bad step with gradient {bad_gradient}")
    print(f"  before: {w.item():.4f}")
    w.grad = bad_gradient
    optimizer.step()
    print(f"  after:  {w.item():.4f}")


train(None)
train(torch.tensor(0.0))
train(torch.nan_to_num(torch.tensor(float("nan"))))
