import torch

with torch.inference_mode():
    total = torch.tensor(12.0)

try:
    total.div_(3)
except RuntimeError as error:
    print("outside: RuntimeError:", str(error).split(".")[0])
print("after the error, total:", total)

try:
    print("version:", total._version)
except RuntimeError as error:
    print("version: RuntimeError:", error)

mean = total / 2
print("mean:", mean, "is_inference():", mean.is_inference())
with torch.inference_mode():
    total.div_(2)
print("inside, total:", total)
