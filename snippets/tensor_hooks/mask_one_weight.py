import torch

numbers = [[1.0, 2.0], [3.0, 4.0]]
kernel = torch.tensor(numbers, requires_grad=True)
mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
kernel.register_hook(lambda grad: grad * mask)
optimizer = torch.optim.SGD([kernel], lr=0.25, momentum=0.5)

for step in range(2):
    optimizer.zero_grad()
    (kernel**2).sum().backward()
    print(f"step {step}, kernel.grad:", kernel.grad.tolist())
    optimizer.step()
    print(f"step {step}, last element:", kernel[1, 1].item())
