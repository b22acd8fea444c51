import torch


def attempt(fused, dtype, calls):
    w = torch.ones(1, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.AdamW([w], fused=fused)
    scaler = torch.amp.GradScaler("cpu")
    loss = scaler.scale(w.float().sum())
    try:
        for call in calls:
            if call == "backward":
                loss.backward()
            elif call == "update":
                scaler.update()
            else:
                getattr(scaler, call)(optimizer)
        return "no error"
    except (ValueError, AssertionError) as error:
        return f"{call}: {error}"


for fused in (False, True):
    for dtype, calls in (
        (torch.float16, ["backward", "step", "update"]),
        (torch.float16, ["backward", "unscale_", "step", "update"]),
        (torch.float32, ["step", "update"]),
    ):
        print(f"fused={fused}, {dtype}, {', '.join(calls)}:")
        print(f"  {attempt(fused, dtype, calls)}")
