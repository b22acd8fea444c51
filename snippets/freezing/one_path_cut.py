import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0)
c = torch.tensor(5.0, requires_grad=True)

open_path = b * a
with torch.no_grad():
    cut_path = b * a
(c * (open_path + cut_path)).backward()
print("a.grad:", a.grad)
print("c.grad:", c.grad)
