"""Values of large tensors are those of all their elements, the same memory is read once, and torch
adds up gradients as it does without a reader."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from gradtrace.recording.tensor_values import LargeTensors, ValueReader, rounded
from recording import recorded

pytestmark = pytest.mark.upgrade


@pytest.fixture
def read(monkeypatch) -> list:
    """The shapes of the tensors that were really read."""
    shapes: list = []
    summary_of = LargeTensors.summary_of

    def noted(large, tensor):
        shapes.append(list(tensor.shape))
        return summary_of(large, tensor)

    monkeypatch.setattr(LargeTensors, "summary_of", noted)
    return shapes


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_a_tensor_of_many_parts_and_with_gaps(dtype):
    tensor = (50 + 100 * torch.randn(3, 300, 401)).to(dtype).transpose(0, 2)[:, ::2]
    wide = tensor.double()
    true = [wide.min(), wide.mean(), wide.max(), torch.linalg.vector_norm(wide)]
    value = ValueReader().value_of(tensor)
    assert value["s"] == [401, 150, 3]
    assert value["m"] == [rounded([number.item()])[0] for number in true]


def test_what_was_first_read_in_inference_mode_is_read_outside_of_it():
    reader, tensor = ValueReader(), torch.randn(40, 60)
    with torch.inference_mode():
        inside = reader.value_of(tensor)
    reader.forget()
    assert reader.value_of(tensor) == inside


def test_views_of_the_same_elements_are_read_once(read):
    reader, tensor = ValueReader(), torch.randn(40, 60)
    one = reader.value_of(tensor)
    for view in (tensor.t(), tensor.view(2, 20, 60), tensor.detach(), tensor.view(-1)):
        assert reader.value_of(view) == {**one, "s": list(view.shape)}
    assert read == [[40, 60]]
    reader.value_of(tensor[1:])
    assert len(read) == 2


def test_what_was_written_to_is_read_again(read):
    reader, tensor = ValueReader(), torch.randn(40, 60)
    before = reader.value_of(tensor)
    tensor.add_(1)
    assert reader.value_of(tensor) != before
    tensor.data.mul_(2)
    reader.forget()
    assert reader.value_of(tensor)["m"][2] == pytest.approx(2 * before["m"][2] + 2, rel=1e-3)
    assert len(read) == 3


def test_another_tensor_at_the_same_address_is_read(read):
    reader = ValueReader()
    for number in range(1, 6):
        tensor = number * torch.arange(50_000.0)
        assert reader.value_of(tensor)["m"][2] == number * 49_999
        del tensor
    assert len(read) == 5


def test_nothing_is_kept_alive():
    reader, tensor = ValueReader(), torch.randn(40, 60)
    reader.value_of(tensor)
    alive = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert alive() is None


def added_up(read) -> list[str]:
    """How torch adds up the three gradients of a tensor that is used three times."""
    x = torch.linspace(0, 1, 100, requires_grad=True) * 2
    total = x.exp() + x.sin() + x.cos()
    nodes = [node for node, _ in total.grad_fn.next_functions]
    for node in [*nodes[0].next_functions, (nodes[1], 0)]:
        node[0].register_hook(lambda sent, got: [read(gradient) for gradient in sent] and None)
    with torch.autograd.profiler.profile() as profile:
        total.sum().backward()
    return [event.name for event in profile.function_events if "aten::add" in event.name]


def test_gradients_are_added_in_place_as_without_a_reader():
    plain = added_up(lambda gradient: None)
    assert plain and added_up(ValueReader().value_of) == plain


def test_a_parameter_with_other_data_leaves_no_value_behind():
    reader = ValueReader()
    w = torch.linspace(0, 1, 100).requires_grad_()
    reader.value_of(w)
    w.data = torch.linspace(5, 6, 100)
    others = [torch.linspace(9, 10, 100) for _ in range(20)]
    assert all(reader.value_of(other)["m"][0] == 9 for other in others)
    assert reader.value_of(w)["m"][0] == 5


@pytest.mark.parametrize(("count", "zeros"), [(3, {"v": 0, "c": 1}), (50, {"u": [[0, 50]]})])
def test_zeros_without_memory_are_zeros(tmp_path, count, zeros):
    """As the second derivative of `abs`, sent to a leaf whose gradient it becomes."""
    body = f"""w = torch.ones({count}, requires_grad=True)
(g,) = torch.autograd.grad(w.abs().sum(), w, create_graph=True)
(second,) = torch.autograd.grad(g.sum(), w, retain_graph=True)
assert second._is_zerotensor()
g.sum().backward()
print(w.grad.sum())
"""
    trace = recorded(body, tmp_path)
    assert [e["after"] for e in trace.events if e["k"] == "acc"] == [{"s": [count]} | zeros]
