import torch

for inputs in ("all", "actor only"):
    actor = torch.tensor(3.0, requires_grad=True)
    critic = torch.tensor(2.0, requires_grad=True)
    print(inputs)
    (actor * critic).backward(inputs=None if inputs == "all" else [actor])
    print(f"  loss 1 actor.grad={actor.grad} critic.grad={critic.grad}")
    ((critic - 5) ** 2).backward()
    print(f"  loss 2 actor.grad={actor.grad} critic.grad={critic.grad}")
