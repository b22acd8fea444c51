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


w = Value(3.0)
price = Value(2.0) * w
miss = price + Value(-9.0)
loss = miss * miss

for name, value in (("loss", loss), ("miss", miss), ("price", price)):
    slopes = [slope for source, slope in value.sources]
    print(f"{name}: {value.data}, slopes for its sources: {slopes}")
