from torch.utils.data import DistributedSampler

samples = ["a", "b", "c", "d", "e"]
for drop_last in False, True:
    for rank in 0, 1:
        sampler = DistributedSampler(
            samples,
            num_replicas=2,
            rank=rank,
            shuffle=False,
            drop_last=drop_last,
        )
        mine = [samples[index] for index in sampler]
        print(f"drop_last={drop_last}, rank {rank}: {mine}")
