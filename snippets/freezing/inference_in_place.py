import torch

with torch.inference_mode():
    total = torch.tensor(0.0)
    for loss in (1.0, 2.0, 6.0):
        total += loss
    inside = total / 3

print("inside.is_inference():", inside.is_inference())
for name, change in [
    ("total /= 3", lambda: total.div_(3)),
    ("total.requires_grad_()", lambda: total.requires_grad_()),
]:
    try:
        change()
    except RuntimeError as error:
        print(f"{name}: RuntimeError:", str(error).split(".")[0])
outside = total / 3
print("total / 3:", outside, "is_inference():", outside.is_inference())
print("total.item() / 3:", total.item() / 3)
