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

    def detach(self):
        return Value(self.data)

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


w = Value(3.0)
double = w + w
loss = double * double
loss.backward()
print("first backward:", w.grad, "double.grad:", double.grad)
loss.backward()
print("second backward:", w.grad)

w = Value(3.0)
double = w + w
loss = double * double.detach()
loss.backward()
print("one factor detached:", w.grad)
