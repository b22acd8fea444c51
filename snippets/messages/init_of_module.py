from torch import nn


class TooEarly(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 1)
        super().__init__()


class InOrder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)


try:
    TooEarly()
except AttributeError as error:
    print("too early:", error)
print("in order:", [name for name, _ in InOrder().named_parameters()])
