import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
edited = w.clone()
edited[0] = 5.0
loss = (edited**2).sum()

loss.backward()
print("edited:", edited.detach())
print("loss:", loss.item())
print("w:", w.detach())
print("w.grad:", w.grad)
