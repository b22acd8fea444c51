import torch

places = torch.tensor([2, 0, 2])
values = torch.tensor([1.0, 10.0, 100.0])

x = torch.zeros(3)
x[places] += values
print("written with +=:", x)

x = torch.zeros(3)
x.index_add_(0, places, values)
print("index_add_:", x)

x = torch.zeros(3)
x.index_put_((places,), values, accumulate=True)
print("index_put_, accumulate=True:", x)

x = torch.zeros(3)
x.scatter_add_(0, places, values)
print("scatter_add_:", x)
