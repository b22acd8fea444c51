import warnings

import torch


def forward(w):
    h = 2 * w
    gate = torch.sigmoid(h)
    value = torch.tanh(h)
    gate += 1
    return (gate * value).sum()


w = torch.tensor([0.5, 1.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.set_detect_anomaly(True):
        loss = forward(w)
        try:
            loss.backward()
        except RuntimeError as error:
            print("Hint:", str(error).split("Hint: ")[1])

told = str(caught[0].message).split(" (Triggered")[0]
lines = told.strip().splitlines()
print(lines[0])
for line in lines[-4:]:
    print(line.split('", ')[-1])
