import torch

w = torch.ones(2, requires_grad=True)
print("w.to('cpu').is_leaf:", w.to("cpu").is_leaf)
print("w.float().is_leaf:", w.float().is_leaf)
print("w.double().is_leaf:", w.double().is_leaf)
print("w.clone().is_leaf:", w.clone().is_leaf)
print("w.reshape(2, 1).is_leaf:", w.reshape(2, 1).is_leaf)
