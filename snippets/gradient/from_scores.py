import torch

scores = torch.tensor([1.0, 2.0, 3.0])
positive = scores.exp()
shares = positive / positive.sum()

print("e to the score:", positive)
print("shares:", shares)
print("softmax:", scores.softmax(0))
