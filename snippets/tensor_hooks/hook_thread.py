from threading import Thread, current_thread

import torch

w = torch.tensor(2.0, requires_grad=True)
w.register_hook(lambda grad: print("hook in:", current_thread().name))


def run():
    (3 * w).backward()


run()
worker = Thread(target=run, name="worker")
worker.start()
worker.join()
print("w.grad:", w.grad.item())
