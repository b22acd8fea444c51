class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.sources = sources
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        sources = [(self, other.data), (other, self.data)]
        return Value(self.data * other.data, sources)

    def backward(self, received=1.0):
        self.grad += received
        for source, slope in self.sources:
            source.backward(received * slope)


w = Value(3.0)
price = Value(2.0) * w
miss = price + Value(-9.0)
loss = miss * miss
loss.backward()

print("at the loss:", loss.grad)
print("at the miss:", miss.grad)
print("at the price:", price.grad)
print("at w:", w.grad)
