import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)

with torch.no_grad():
    under_no_grad = w + w
with torch.inference_mode():
    under_inference_mode = w + w

results = {
    "w + w": w + w,
    "w.detach()": w.detach(),
    "w.data": w.data,
    "w + w, no_grad": under_no_grad,
    "w + w, inference_mode": under_inference_mode,
    "w > w.mean()": w > w.mean(),
    "w.argmax()": w.argmax(),
    "w.long()": w.long(),
    "torch.zeros_like(w)": torch.zeros_like(w),
}
for name, result in results.items():
    print(f"{name}: {result.requires_grad}")
