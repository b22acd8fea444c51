def loss_at(w, b):
    guess = 2 * w + b
    return (guess - 11) ** 2


w = 3.0
b = 2.0
w_slope = -12.0
b_slope = -6.0
downhill = loss_at(w - 0.01 * w_slope, b - 0.01 * b_slope)
uphill = loss_at(w + 0.01 * w_slope, b + 0.01 * b_slope)
print("here:", loss_at(w, b))
print(f"against the gradient: {downhill:.2f}")
print(f"along the gradient: {uphill:.2f}")
