import torch

update, count = 0.001, 10_000
torch.manual_seed(0)


def stochastic(x):
    bits = x.view(torch.int32) + torch.randint(2**16, x.shape, dtype=torch.int32)
    return (bits & -(2**16)).view(torch.float32).bfloat16()


nearest = torch.ones(count, dtype=torch.bfloat16)
master = torch.ones(count)
random = nearest.clone()
kahan, lost = nearest.clone(), torch.zeros_like(nearest)
for _ in range(100):
    nearest = nearest - update
    master = master - update
    random = stochastic(random.float() - update)
    wanted = -update - lost
    new = kahan + wanted
    kahan, lost = new, (new - kahan) - wanted
print(f"nearest: {nearest.float().mean():.4f}")
print(f"float32 master: {master.mean():.4f}, its bfloat16 copy: {master[0].bfloat16():.4f}")
print(f"stochastic: mean {random.float().mean():.2f}, of {random.unique().numel()} values")
print(f"Kahan: {kahan[0]:.4f}, with what it still owes: {kahan[0].float() - lost[0]:.4f}")
