import copy
import warnings

from torch import nn
from torch.nn.utils import parametrizations

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    old = nn.utils.weight_norm(nn.Linear(2, 1, bias=False))
new = parametrizations.weight_norm(nn.Linear(2, 1, bias=False))

try:
    copy.deepcopy(old)
except RuntimeError as error:
    print("old:", str(error).split(" at the moment")[0])
copied = copy.deepcopy(new)
count = len(list(copied.parameters()))
print("new, copied, parameters:", count)
