import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

detached = w.detach()
detached[0] = 10.0
array = w.detach().numpy()
array[1] = 20.0
copied = w.detach().clone()
copied[2] = 30.0

print("w:", w)
print("detached is w:", detached is w)
print("detached has the storage of w:", detached.data_ptr() == w.data_ptr())
print("copied has the storage of w:", copied.data_ptr() == w.data_ptr())
