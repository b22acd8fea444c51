import torch

w = torch.tensor(2.0, requires_grad=True)
with torch.inference_mode():
    x = torch.tensor(3.0)
try:
    w * x
except RuntimeError as error:
    print("under inference_mode:", str(error).split(". ")[0])

(w * x.clone()).backward()
print("a clone, w.grad:", w.grad)
w.grad = None
with torch.no_grad():
    x = torch.tensor(5.0)
(w * x).backward()
print("under no_grad, w.grad:", w.grad)
