import weakref

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        saved = w + 0
        kept = w + 0
        ctx.save_for_backward(saved)
        ctx.kept = kept
        references.append(weakref.ref(saved))
        references.append(weakref.ref(kept))
        return w**2

    @staticmethod
    def backward(ctx, grad_y):
        (saved,) = ctx.saved_tensors
        return grad_y * 2 * saved


w = torch.tensor(3.0, requires_grad=True)
for recording in (True, False):
    references = []
    with torch.set_grad_enabled(recording):
        y = Square.apply(w)
    alive = [reference() is not None for reference in references]
    print("recording:", recording, "grad_fn:", y.grad_fn is not None)
    print("still there, saved and kept:", alive)
