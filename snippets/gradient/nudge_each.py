def loss_at(w, b):
    guess = 2 * w + b
    return (guess - 11) ** 2


before = loss_at(3.0, 2.0)
w_change = loss_at(3.01, 2.0) - before
b_change = loss_at(3.0, 2.01) - before
print("loss:", before)
print(f"w + 0.01, change / 0.01: {w_change / 0.01:.2f}")
print(f"b + 0.01, change / 0.01: {b_change / 0.01:.2f}")
