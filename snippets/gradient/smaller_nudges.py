def loss_at(w):
    return (w - 5) ** 2


w = 2.0
for nudge in [1.0, 0.1, 0.01, 0.001]:
    change = loss_at(w + nudge) - loss_at(w)
    print(f"nudge {nudge}: slope {change / nudge:.3f}")
