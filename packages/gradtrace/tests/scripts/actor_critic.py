"""An actor and a critic that balance a rolling ball; the advantage is detached for the actor."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

torch.manual_seed(12)


class Ball:
    """A ball on a board: the action is the tilt, the reward how near it is to the middle."""

    def reset(self):
        self.state = torch.empty(2).uniform_(-0.5, 0.5)
        return self.state

    def step(self, tilt):
        place, speed = self.state.tolist()
        speed = 0.9 * speed + 0.1 * max(-1.0, min(1.0, tilt))
        self.state = torch.tensor([place + speed, speed])
        return self.state, -abs(place + speed)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh())
        self.mean = nn.Linear(16, 1)
        self.log_std = nn.Parameter(torch.full((1,), -0.5))
        self.value = nn.Linear(16, 1)

    def forward(self, state):
        features = self.body(state)
        return Normal(self.mean(features), self.log_std.exp()), self.value(features)


env, model = Ball(), ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for episode in range(4):
    state = env.reset()
    log_probs, values, rewards, entropies = [], [], [], []
    for _ in range(8):
        policy, value = model(state)
        tilt = policy.sample()
        state, reward = env.step(tilt.item())
        log_probs.append(policy.log_prob(tilt))
        entropies.append(policy.entropy())
        values.append(value)
        rewards.append(reward)

    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + 0.9 * total
        returns.insert(0, total)
    returns, values = torch.tensor(returns).unsqueeze(1), torch.stack(values)
    advantages = (returns - values).detach()
    actor_loss = -(torch.stack(log_probs) * advantages).mean()
    critic_loss = F.smooth_l1_loss(values, returns)
    loss = actor_loss + 0.5 * critic_loss - 0.01 * torch.stack(entropies).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    print(f"episode {episode}: actor {actor_loss.item():.4f} critic {critic_loss.item():.4f}")
    print("model.log_std.grad", model.log_std.grad)
    print("model.value.bias.grad", model.value.bias.grad)
    print("model.mean.bias.grad", model.mean.bias.grad)
