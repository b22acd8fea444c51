import torch
from torch import nn
from torch.nn import functional as F

x = torch.ones(1, 2, 4)
visible = torch.tensor([[True, False], [False, False]])
q = torch.ones(1, 2, 4, requires_grad=True)
out = F.scaled_dot_product_attention(q, x, x, attn_mask=visible)
out.sum().backward()
print("by function, out:", out[0, :, 0].tolist())
print("  q.grad:", q.grad[0, :, 0].tolist())

torch.manual_seed(0)
layer = nn.MultiheadAttention(4, 1, batch_first=True)
for need_weights in (True, False):
    out, weights = layer(x, x, x, attn_mask=~visible, need_weights=need_weights)
    layer.zero_grad()
    out.sum().backward()
    print(f"need_weights={need_weights}")
    print("  out finite:", out.isfinite().all(dim=2)[0].tolist())
    grad = layer.in_proj_weight.grad
    print("  gradient finite:", grad.isfinite().all().item())
