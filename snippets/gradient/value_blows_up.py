class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.sources = sources
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def backward(self, received=1.0):
        calls.append(self)
        self.grad += received
        for source, slope in self.sources:
            source.backward(received * slope)


for doublings in (1, 2, 3, 10, 15):
    calls = []
    w = Value(1.0)
    y = w
    for _ in range(doublings):
        y = y + y
    y.backward()
    print(f"{doublings} doublings: w.grad {w.grad:.0f}, calls {len(calls)}")
