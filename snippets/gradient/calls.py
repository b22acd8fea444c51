import matplotlib.pyplot as plt


def calls(doublings):
    if doublings == 0:
        return 1
    return 1 + 2 * calls(doublings - 1)


doublings = range(16)
all_calls = [calls(n) for n in doublings]
visits = [n + 1 for n in doublings]
print("calls:", all_calls[10], all_calls[15])
print("visits:", visits[10], visits[15])

plt.figure(figsize=(5, 2.4))
plt.semilogy(doublings, all_calls, "o-", label="calls")
plt.semilogy(doublings, visits, "s-", label="visits in order")
plt.xlabel("doublings")
plt.legend()
plt.show()
