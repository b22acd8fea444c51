"""A copy to the GPU with `non_blocking=True` returns before it is done, if the memory is pinned."""

import time

import torch

torch.cuda.init()
pageable = torch.ones(64 * 1024 * 1024)
for name, source in (("pageable", pageable), ("pinned", pageable.pin_memory())):
    source.to("cuda", non_blocking=True)
    torch.cuda.synchronize()
    start = time.perf_counter()
    copy = source.to("cuda", non_blocking=True)
    returned = time.perf_counter() - start
    torch.cuda.synchronize()
    done = time.perf_counter() - start
    print(f"{name}: the call takes {returned / done:.0%} of the time of the copy")
