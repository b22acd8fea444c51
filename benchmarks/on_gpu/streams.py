"""Backward operations run on the streams of their forward operations."""

import torch

w = torch.tensor([2.0, 3.0], device="cuda", requires_grad=True)
streams = {}


def note(name):
    def hook(grad):
        streams[name] = torch.cuda.current_stream().cuda_stream

    return hook


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = w * w
torch.cuda.current_stream().wait_stream(side)
z = y * 3
y.register_hook(note("y"))
w.register_hook(note("w"))
z.sum().backward()
print("hook of y on the side stream:", streams["y"] == side.cuda_stream)
print("hook of w on the side stream:", streams["w"] == side.cuda_stream)
print("w.grad:", w.grad.tolist())
