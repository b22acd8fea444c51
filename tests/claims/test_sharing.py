"""What the pages of sharing say in general."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.upgrade


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("layer", [nn.Embedding, nn.EmbeddingBag])
@pytest.mark.parametrize("options", [{}, {"freeze": True}, {"freeze": False}], ids=str)
def test_from_pretrained_does_not_tie(layer, dtype, options):
    """weight-tying: a new parameter over the same storage, frozen unless freeze=False."""
    embedding = nn.Embedding(3, 2, dtype=dtype)
    other = layer.from_pretrained(embedding.weight, **options)
    assert other.weight is not embedding.weight
    assert other.weight.data_ptr() == embedding.weight.data_ptr()
    assert other.weight.requires_grad == (options.get("freeze") is False)
    (other(torch.tensor([[0, 1]])).sum() + embedding.weight.sum() * 0).backward()
    assert (other.weight.grad is not None) == other.weight.requires_grad
    assert not embedding.weight.grad.any()


def test_one_parameter_in_two_layers_is_tied():
    """weight-tying: the way that the page shows."""
    embedding, bag = nn.Embedding(3, 2), nn.EmbeddingBag(3, 2)
    bag.weight = embedding.weight
    (bag(torch.tensor([[0, 1]])).sum() + embedding(torch.tensor([1])).sum()).backward()
    assert embedding.weight.grad.tolist() == [[0.5, 0.5], [1.5, 1.5], [0, 0]]
    assert len(list(nn.ModuleList([embedding, bag]).parameters())) == 1
