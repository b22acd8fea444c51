import io
import pickle

import torch
from torch import nn

model = nn.Linear(1, 1, bias=False)
nn.init.constant_(model.weight, 3.0)
model.register_forward_hook(lambda module, args, output: 2 * output)
try:
    torch.save(model, io.BytesIO())
except (pickle.PicklingError, AttributeError) as error:
    print("the model:", str(error).split(" at ")[0])

file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
print("its state_dict:", dict(torch.load(file)))
