import os
import warnings

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = ""
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old = torch.cuda.amp.GradScaler()
for warning in caught:
    print(warning.category.__name__, warning.message)
print("old, enabled:", old.is_enabled())

scaler = torch.amp.GradScaler("cpu")
print("for the CPU, enabled:", scaler.is_enabled())
