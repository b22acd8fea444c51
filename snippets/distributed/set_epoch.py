from torch.utils.data import DistributedSampler

samples = ["a", "b", "c", "d", "e", "f", "g", "h"]
sampler = DistributedSampler(samples, num_replicas=2, rank=0)
for told in False, True:
    for epoch in 0, 1, 2:
        if told:
            sampler.set_epoch(epoch)
        mine = [samples[index] for index in sampler]
        print(f"set_epoch called {told}, epoch {epoch}: {mine}")
