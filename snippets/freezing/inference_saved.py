import torch

w = torch.tensor(2.0, requires_grad=True)
with torch.inference_mode():
    x = torch.tensor(3.0)
with torch.no_grad():
    safe = torch.tensor(3.0)

print("w + x:", w + x)
try:
    w * x
except RuntimeError as error:
    print("w * x: RuntimeError:")
    for sentence in str(error).rstrip(".").split(". "):
        print(" ", sentence)

(w * x.clone()).backward()
print("w * x.clone(), w.grad:", w.grad)
w.grad = None
(w * safe).backward()
print("w * safe, w.grad:", w.grad)
