class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.sources = sources
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def backward(self):
        received = dict.fromkeys(in_order(self), 0.0)
        received[self] = 1.0
        for value in reversed(received):
            if not value.sources:
                value.grad += received[value]
            for source, slope in value.sources:
                received[source] += received[value] * slope


def in_order(value, found=None):
    found = {} if found is None else found
    if value not in found:
        for source, _ in value.sources:
            in_order(source, found)
        found[value] = True
    return found


for doublings in (1, 2, 3, 10, 15):
    w = Value(1.0)
    y = w
    for _ in range(doublings):
        y = y + y
    y.backward()
    print(f"{doublings} doublings: w.grad {w.grad:.0f}, values {len(in_order(y))}")
