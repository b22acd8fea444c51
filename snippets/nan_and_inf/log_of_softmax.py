import torch

low = -90.0
scores = torch.tensor([0.0, low], requires_grad=True)
p = torch.softmax(scores, dim=0)
loss = -torch.log(p)[1]
loss.backward()
print("p:", p.detach())
print("loss:", loss.item())
print("scores.grad:", scores.grad)

scores.grad = None
loss = -torch.log_softmax(scores, dim=0)[1]
loss.backward()
print("log_softmax, loss:", loss.item())
print("log_softmax, scores.grad:", scores.grad)
