w = 3.0
nudged_w = 3.01
price = 2 * w
nudged_price = 2 * nudged_w
miss = price - 9
nudged_miss = nudged_price - 9
loss = miss**2
nudged_loss = nudged_miss**2

print(f"change of w: {nudged_w - w:.4f}")
print(f"change of price: {nudged_price - price:.4f}")
print(f"change of miss: {nudged_miss - miss:.4f}")
print(f"change of loss: {nudged_loss - loss:.4f}")
