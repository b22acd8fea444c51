import torch

logits = torch.tensor([0.0, 0.0], requires_grad=True)
answers = torch.tensor([0, 1, 1, 0])
groups = {
    "half right": torch.tensor([1.0, 0.0, 0.0, 1.0]),
    "all right": torch.tensor([1.0, 1.0, 1.0, 1.0]),
}

for name, rewards in groups.items():
    advantages = (rewards - rewards.mean()) / (rewards.std(correction=0) + 1e-6)
    log_probs = logits.log_softmax(0)[answers]
    ratio = (log_probs - log_probs.detach()).exp()
    loss = -(ratio * advantages).mean()
    logits.grad = None
    loss.backward()
    slopes = [round(g, 4) + 0.0 for g in logits.grad.tolist()]
    print(f"{name}: advantages {[round(a, 2) + 0.0 for a in advantages.tolist()]}")
    print(f"  loss {loss.abs().item():.2f}, logits.grad {slopes}")
