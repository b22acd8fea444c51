def loss_at(w):
    return (w - 5) ** 2


w = 2.0
before = loss_at(w)
after = loss_at(w + 0.01)
change = after - before
print("loss at w:", before)
print(f"loss at w + 0.01: {after:.4f}")
print(f"change of the loss: {change:.4f}")
print(f"change / 0.01: {change / 0.01:.2f}")
