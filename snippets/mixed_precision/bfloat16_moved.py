import torch

for dtype in (torch.float32, torch.bfloat16):
    torch.manual_seed(0)
    layer = torch.nn.Linear(256, 256, bias=False)
    torch.nn.init.uniform_(layer.weight, -1, 1)
    layer.to(dtype)
    before = layer.weight.detach().clone()
    optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-4)
    x = torch.randn(8, 256).to(dtype)
    layer(x).square().mean().backward()
    optimizer.step()
    moved = layer.weight != before  # which of them moved is decided by their last digits
    share = moved.float().mean().item()
    largest = before[moved].abs().max().item()
    print(f"{dtype}: moved {share:.2f}, the largest of them {largest:.5f}")
