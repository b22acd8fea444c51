import torch


def attempt(calls):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    scaler = torch.amp.GradScaler("cpu")
    loss = w**2
    if calls[0] == "scale":
        loss = scaler.scale(loss)
    loss.backward()
    try:
        for call in calls[1:]:
            if call == "update":
                scaler.update()
            else:
                getattr(scaler, call)(optimizer)
        print("nothing raised")
    except (RuntimeError, AssertionError) as error:
        print(str(error).partition(".  ")[0])


attempt(["scale", "unscale_", "step", "update"])
attempt(["scale", "step", "step"])
attempt(["scale", "step", "unscale_"])
attempt(["scale", "update"])
attempt(["no scale", "step"])
