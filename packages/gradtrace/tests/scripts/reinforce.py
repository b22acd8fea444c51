"""REINFORCE on a walk along a corridor: the policy's own actions weigh its gradient."""

import random

import torch
from torch import nn
from torch.distributions import Categorical


class Corridor:
    """Seven places in a row; the walk ends at the right end with a reward, or after 12 steps."""

    def reset(self):
        self.place, self.time = 3, 0
        return self._seen()

    def step(self, action):
        self.time += 1
        self.place = max(0, self.place + (1 if action == 1 else -1))
        won = self.place == 6
        return self._seen(), 1.0 if won else -0.1, won or self.time == 12

    def _seen(self):
        return torch.tensor([self.place / 6, self.time / 12, random.uniform(-0.1, 0.1)])


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(3, 16)
        self.affine2 = nn.Linear(16, 2)

    def forward(self, x):
        return torch.softmax(self.affine2(torch.tanh(self.affine1(x))), dim=-1)


def discounted(rewards, gamma=0.95):
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    return (returns - returns.mean()) / (returns.std() + 1e-6)


def main():
    random.seed(11)
    torch.manual_seed(11)
    env, policy = Corridor(), Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(6):
        state, done = env.reset(), False
        log_probs, rewards = [], []
        while not done:
            chances = Categorical(policy(state))
            action = chances.sample()
            log_probs.append(chances.log_prob(action))
            state, reward, done = env.step(action.item())
            rewards.append(reward)
        returns = discounted(rewards)
        policy_loss = torch.cat(
            [-p.reshape(1) * r for p, r in zip(log_probs, returns, strict=True)]
        )
        optimizer.zero_grad()
        loss = policy_loss.sum()
        loss.backward()
        optimizer.step()
        print(
            f"episode {episode}: {len(rewards)} steps, reward {sum(rewards):.1f}, loss {loss:.4f}"
        )
        print("policy.affine2.bias.grad", policy.affine2.bias.grad)
        print(f"policy.affine1.weight.grad.norm() {policy.affine1.weight.grad.norm():.4f}")


if __name__ == "__main__":
    main()
