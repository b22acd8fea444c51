import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import cross_entropy, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

q, k, v = (torch.ones(1, 2, 128, 8, requires_grad=True) for _ in range(3))
hidden = torch.ones(128, 8, requires_grad=True)
table = torch.ones(512, 8, requires_grad=True)
labels = torch.zeros(128, dtype=torch.long)
mask = torch.ones(128, 128).tril().log()


def by_hand():
    return (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1) @ v


def chunk_loss(rows, labels):
    return cross_entropy(rows @ table.t(), labels, reduction="sum")


def in_chunks():
    pairs = zip(hidden.split(32), labels.split(32), strict=True)
    losses = [checkpoint(chunk_loss, *pair, use_reentrant=False) for pair in pairs]
    return sum(losses) / len(labels)


def show(name, compute):
    saved = {}

    def pack(tensor):
        saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        compute()
    print(f"{name}: largest kept tensor {max(saved.values())} bytes")


show("attention by hand", by_hand)
show("scaled_dot_product_attention", lambda: scaled_dot_product_attention(q, k, v))
show("  is_causal=True", lambda: scaled_dot_product_attention(q, k, v, is_causal=True))
show("  a mask", lambda: scaled_dot_product_attention(q, k, v, attn_mask=mask))
mask.requires_grad_()
show("  a learned mask", lambda: scaled_dot_product_attention(q, k, v, attn_mask=mask))
show("all logits", lambda: chunk_loss(hidden, labels) / len(labels))
show("logits in chunks of 32", in_chunks)
