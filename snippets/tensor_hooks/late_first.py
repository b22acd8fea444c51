import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([1.0, 2.0, 3.0, 4.0])
z = x + 4
on_z = z.register_hook(lambda grad: print("  z:", grad))
o = w @ z
on_o = o.register_hook(lambda grad: print("  o:", grad))

print("both hooks")
o.backward(retain_graph=True)
on_o.remove()
print("hook on z alone")
o.backward(retain_graph=True)
on_z.remove()
print("no hook")
o.backward()
