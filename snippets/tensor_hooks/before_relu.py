import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)
z = 3 * x
z.register_hook(lambda grad: print("registered before relu:", grad))
z = torch.nn.functional.relu(z, inplace=True)
z.register_hook(lambda grad: print("registered after relu:", grad))
(5 * z).sum().backward()
