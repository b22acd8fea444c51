import torch

trained = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(trained.weight, 2.0)
saved = {f"module.{name}": p for name, p in trained.state_dict().items()}
print("saved:", list(saved))

model = torch.nn.Linear(1, 1, bias=False)
try:
    model.load_state_dict(saved)
except RuntimeError as error:
    print("loading:", " ".join(str(error).split()))

saved = {name.removeprefix("module."): p for name, p in saved.items()}
print("renamed:", model.load_state_dict(saved), model.weight.item())
