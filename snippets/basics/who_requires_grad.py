import torch

data = torch.ones(2)
more = torch.ones(2)
w = torch.ones(2, requires_grad=True)

print("data + more requires_grad:", (data + more).requires_grad)
print("data + w requires_grad:", (data + w).requires_grad)
print("(data + w).detach() requires_grad:", (data + w).detach().requires_grad)
with torch.no_grad():
    print("data + w under no_grad requires_grad:", (data + w).requires_grad)
