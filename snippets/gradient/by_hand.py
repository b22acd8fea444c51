w = 3.0
price = 2 * w
miss = price - 9
loss = miss**2
print("miss:", miss)
print("loss:", loss)

slope_at_miss = 2 * miss
slope_at_price = slope_at_miss * 1
slope_at_w = slope_at_price * 2
print("slope at miss:", slope_at_miss)
print("slope at price:", slope_at_price)
print("slope at w:", slope_at_w)
