import torch

reward = 3.0
for detached in (True, False):
    log_prob = torch.tensor(-0.5, requires_grad=True)
    value = torch.tensor(1.0, requires_grad=True)
    baseline = value.detach() if detached else value
    ratio = (log_prob - log_prob.detach()).exp()
    loss = -ratio * (reward - baseline)
    loss.backward()
    print(f"detached: {detached}, log_prob.grad: {log_prob.grad}, value.grad: {value.grad}")
