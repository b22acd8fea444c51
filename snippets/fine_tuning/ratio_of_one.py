import torch

logits = torch.tensor([0.0, 0.0], requires_grad=True)
action, advantage = 0, 2.0


def show(name, loss_of):
    logits.grad = None
    log_prob = logits.log_softmax(0)[action]
    loss = loss_of(log_prob)
    loss.backward()
    slopes = [round(g, 4) + 0.0 for g in logits.grad.tolist()]
    print(f"{name}: loss {loss.item():.3f}, logits.grad {slopes}")


show("detached", lambda log_prob: -(log_prob - log_prob.detach()).exp() * advantage)
show("not detached", lambda log_prob: -(log_prob - log_prob).exp() * advantage)
show("log_prob alone", lambda log_prob: -log_prob * advantage)
