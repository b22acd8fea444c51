import torch

for way in ("in place", "through .data", "out of place"):
    w = torch.tensor([1.0, 4.0, 9.0], requires_grad=True)
    root = w.sqrt()
    saved = root.grad_fn._saved_result
    before = saved._version
    if way == "in place":
        root += 1
    elif way == "through .data":
        root.data += 1
    else:
        root = root + 1

    print(way)
    print(f"  memory: {saved.detach()} version {saved._version}")
    print(f"  saved by sqrt: {saved.detach()} offset 0 version {before}")
    if root.data_ptr() == saved.data_ptr():
        print(f"  root: {root.detach()} offset 0")
    else:
        print(f"  new memory: {root.detach()} version {root._version}")
        print(f"  root: {root.detach()} offset 0")
    try:
        root.sum().backward()
        print("  w.grad:", w.grad)
    except RuntimeError as error:
        print("  error:", str(error).split(": ")[1].split("; ")[0])
