import torch

for dtype in (torch.float32, torch.bfloat16, torch.float16):
    info = torch.finfo(dtype)
    smallest = info.smallest_normal * info.eps
    print(dtype)
    print(f"  smallest above 0: {smallest:.8g}")
    print(f"  gap above 1:      {info.eps:.5g}")
    print(f"  largest:          {info.max:.8g}")
