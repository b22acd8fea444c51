import torch

actor = torch.tensor(3.0, requires_grad=True)
critic = torch.tensor(2.0, requires_grad=True)

loss_1 = actor * critic
loss_1.backward()
print("loss 1, actor.grad:", actor.grad)
print("loss 1, critic.grad:", critic.grad)
loss_2 = (critic - 5) ** 2
loss_2.backward()
print("loss 2 added, critic.grad:", critic.grad)

actor.grad = None
critic.grad = None
loss_1 = actor * critic
loss_1.backward(inputs=[actor])
print("with inputs=[actor]")
print("loss 1, actor.grad:", actor.grad)
print("loss 1, critic.grad:", critic.grad)
loss_2 = (critic - 5) ** 2
loss_2.backward()
print("loss 2, critic.grad:", critic.grad)
