import torch

reference = torch.tensor([0.0, 0.0]).log_softmax(0)
for start in ([0.0, 0.0], [1.0, 0.0]):
    logits = torch.tensor(start, requires_grad=True)
    log_prob = logits.log_softmax(0)[0]
    gap = reference[0] - log_prob
    term = gap.exp() - gap - 1
    term.backward()
    print(f"logits {start}: term {term.item():.4f}, gradient {abs(logits.grad[0].item()):.3f}")
