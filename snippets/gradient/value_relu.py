class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.sources = sources

    def relu(self):
        return Value(max(0.0, self.data), [(self, float(self.data > 0))])


for number in (-2.0, 0.5, 3.0):
    bent = Value(number).relu()
    [(source, slope)] = bent.sources
    print(f"relu of {source.data}: {bent.data}, slope {slope}")
