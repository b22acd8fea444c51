import torch

w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=0.1)
StepLR = torch.optim.lr_scheduler.StepLR
try:
    StepLR(optimizer, step_size=2, gamma=0.5, last_epoch=3)
except KeyError as error:
    print("in the middle:", error.args[0].split("\n")[0])

first = StepLR(optimizer, step_size=2, gamma=0.5)
for _ in range(4):
    optimizer.step()
    first.step()
saved = optimizer.state_dict(), first.state_dict()

optimizer = torch.optim.SGD([w], lr=0.1)
again = StepLR(optimizer, step_size=2, gamma=0.5)
optimizer.load_state_dict(saved[0])
again.load_state_dict(saved[1])
print("loaded, epoch:", again.last_epoch)
print("learning rate:", again.get_last_lr())
