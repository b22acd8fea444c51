"""Each fact that the book promises stands on a page in both languages; its snippet prints it."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest
from proofbook.model.page import parse, read

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[1]
LAST = {"B": 7, "A": 7, "H": 13, "M": 7, "C": 8}  # the rows that are promised, from 1 to these
SHOWN = """
B1 basics/first-gradient basics/before_and_after | before backward, w.grad: None | after backward,
    w.grad: tensor(2.)
B1 basics/first-gradient basics/seed_of_one | backward(), w.grad: tensor(2.) |
    backward(torch.tensor(1.)), w.grad: tensor(2.)
B2* updates/l1 updates/l1_overshoots | before, loss: 1.0 | w.grad: 2.0 | after step, w: -1.0 |
    after step, loss: 3.0
B3 updates/by-hand updates/by_hand | loss=4.0 w.grad=8.0 | by hand, w: -7.0 | by SGD, w: -7.0
B4 accumulate/two-losses accumulate/two_losses | tensor(48.) | tensor(60.) | w: tensor(-59.,
    requires_grad=True)
B5 accumulate/two-losses accumulate/sum_of_losses | tensor(60.) | w: tensor(-59.,
    requires_grad=True)
B6 accumulate/two-losses accumulate/two_losses_one_branch | tensor(88.) | w: tensor(-87.,
    requires_grad=True)
B7 accumulate/second-time accumulate/second_time | RuntimeError: Trying to backward through the
    graph a second time (or directly access saved tensors after they have already been freed).
A1 sharing/siamese sharing/called_twice | mean of grad_output: tensor(0.0012) | mean of
    grad_output: tensor(0.0006)
A2 sharing/siamese sharing/one_step | mean 0.0367  max 4.1015  min -3.1537 | mean 0.0348  max
    4.0996  min -3.1556
A3 sharing/siamese sharing/one_step | twin: mean 0.0367  max 4.1015  min -3.1537 | twin.grad: None
    | twin has the same storage: False
A4 sharing/siamese sharing/input_sees_sum | mean of grad: tensor(6.8778e-05) | 3 *
    mean(coef) / 1600: tensor(6.8778e-05)
A5* sharing/siamese sharing/max_and_min | max moved by 0.001875 | min moved by 0.001875 | max
    moved by 0.736875 | min moved by 2.244151
A6 sharing/copy-or-assign sharing/copy_or_assign | copied: same storage: False | tied: same object:
    True | tied: same storage: True
A7* then-and-now/old-hook sharing/old_hook | tensor(0.0012) | tensor(0.0006) | FutureWarning |
    register_full_backward_hook | tensor(0.0012) | tensor(0.0006)
H1 tensor-hooks/retain-or-hook tensor_hooks/neither | x: requires_grad=True grad=tensor([1., 2.,
    3., 4.]) | y: requires_grad=True grad=tensor([1., 2., 3., 4.]) | w: requires_grad=True
    grad=tensor([ 4.,  6.,  8., 10.]) | z: requires_grad=True grad=None | UserWarning | o:
    requires_grad=True grad=None | UserWarning
H2 tensor-hooks/retain-or-hook tensor_hooks/retain_and_hook | z.grad: tensor([1., 2., 3., 4.]) |
    o.grad: tensor(1.)
H3* tensor-hooks/order tensor_hooks/in_the_dict | after retain_grad, in the dict: [] | after
    register_hook, in the dict: ['show', 'show'] | show: tensor([1., 1.]) | show: tensor([1., 1.])
H4 tensor-hooks/order tensor_hooks/late_first | o: tensor(1.) | z: tensor([1., 2., 3., 4.]) | hook
    on z alone | z: tensor([1., 2., 3., 4.]) | no hook
H5 tensor-hooks/return-value tensor_hooks/double_upstream | x.grad: tensor([2., 4., 6., 8.]) |
    y.grad: tensor([2., 4., 6., 8.]) | w.grad: tensor([ 4.,  6.,  8., 10.])
H6 tensor-hooks/return-value tensor_hooks/hook_or_retain_first | register_hook first, z.grad:
    tensor([2., 4., 6., 8.]) | retain_grad first, z.grad: tensor([2., 4., 6., 8.])
H7* tensor-hooks/in-place tensor_hooks/in_place_or_return | in_place, a.grad: tensor(300.) |
    in_place, b.grad: tensor(200.) | in_place, d.grad: tensor(100.) | returned, a.grad: tensor(3.)
    | returned, b.grad: tensor(2.) | returned, d.grad: tensor(100.)
H8 tensor-hooks/order tensor_hooks/two_hooks | add_100 then show | show: tensor([101., 102., 103.,
    104.])
H9* module-hooks/forward-pre module_hooks/change_inputs | args: (tensor(12.), tensor(3.)) | output:
    tensor(19.) | returned: tensor(119.)
H9* module-hooks/forward-pre module_hooks/lost_argument | missing 1 required positional argument:
    'c'
H9* module-hooks/forward-pre module_hooks/keywords | seeing hook, kwargs: {'c': tensor(4.)}
H10 module-hooks/features module_hooks/features | fc1: tensor([[  7., -13.,  27., -29.]]) | relu:
    tensor([[ 7.,  0., 27.,  0.]]) | fc2: tensor([[89.]])
H11* then-and-now/old-hook module_hooks/old_triple | fc2, first of grad_input: | fc2, second of
    grad_input: | tensor([[1., 2., 3., 4.]]) | fc2, third of grad_input: | relu, first of
    grad_input: | tensor([[1., 0., 3., 0.]]) | fc1, second of grad_input: | tensor([[22., 26.,
    30.]])
H11* then-and-now/old-hook module_hooks/full_children | fc2, grad_input: tensor([[1., 2., 3.,
    4.]]) | relu, grad_input: tensor([[1., 0., 3., 0.]]) | fc1, grad_input: tensor([[22., 26.,
    30.]])
H12* then-and-now/old-hook module_hooks/old_whole | tensor([1., 2., 3., 4.]) | FutureWarning |
    register_full_backward_hook | tensor([22., 26., 30.])
H13 module-hooks/forward-pre module_hooks/change_inputs | output: tensor(19.) | returned:
    tensor(119.)
M1 basics/requires-grad basics/who_requires_grad | data + more requires_grad: False | data + w
    requires_grad: True
M1 freezing/encoder freezing/spread | code + image: False | code + weight: True
M2 tensor-hooks/retain-or-hook tensor_hooks/mean_of_two | hook on y: tensor([0.5000, 0.5000])
M3 module-hooks/whole-or-child module_hooks/whole_or_child | result: 20.5 | result: 22.0 | result:
    5.5
M4 module-hooks/whole-or-child module_hooks/whole_or_child | x.grad: tensor([2., 2., 2., 2.]) |
    x.grad: tensor([2., 2., 2., 2.]) | x.grad: tensor([0.5000, 0.5000, 0.5000, 0.5000])
M5 module-hooks/whole-or-child module_hooks/whole_or_child | f1.weight.grad: tensor([[0.2500,
    0.5000, 0.7500, 1.0000]]) | f1.bias.grad: tensor([0.2500]) | f1.weight.grad: tensor([[0.2500,
    0.5000, 0.7500, 1.0000]]) | f1.bias.grad: tensor([1.]) | f1.weight.grad: tensor([[0.0625,
    0.1250, 0.1875, 0.2500]]) | f1.bias.grad: tensor([0.2500])
M6* then-and-now/old-hook module_hooks/hook_on_whole | backward: (tensor([0.2500]), None) |
    full_backward: (tensor([2., 2., 2., 2.]),) | backward: (tensor([[1.]]),) | full_backward:
    (tensor([2., 2., 2., 2.]),) | backward: (tensor([0.2500]), None) | full_backward:
    (tensor([0.5000, 0.5000, 0.5000, 0.5000]),)
M7 freezing/encoder freezing/encoder | encoder, parameters: 14 | fresh, trainable: 14 | frozen,
    trainable: 0 | encoder, with a gradient: 0 | encoder, moved: 0 | decoder, with a gradient: 2
C1 convolution/image-gradient convolution/logits_to_image | logits: tensor([1., 1., 1., 1.]) |
    loss: tensor(1.3863) | at the logits: tensor([ 0.2500,  0.2500, -0.7500,  0.2500])
C2 convolution/image-gradient convolution/logits_to_image | after the hook: tensor([0.2500, 0.2500,
    1.2500, 0.2500])
C3 convolution/image-gradient convolution/logits_to_image | one pixel, 4 channels: tensor([0.0100,
    0.0100, 0.0500, 0.0100])
C3 convolution/pool convolution/through_the_pool | received: tensor([0.2500, 0.2500, 1.2500,
    0.2500]) | one pixel: tensor([0.0100, 0.0100, 0.0500, 0.0100])
C4 convolution/image-gradient convolution/logits_to_image | weight.grad: tensor([0.2500, 0.2500,
    1.2500, 0.2500])
C5 convolution/image-gradient convolution/logits_to_image | one pixel of the image: tensor(0.0800)
C5 convolution/kernel convolution/flip_and_insert | flipped kernel, equal: True | finite
    differences, equal: True
C5 convolution/transposed convolution/transposed | conv_transpose2d, equal: True | conv2d_input,
    equal: True
C6 convolution/image-gradient convolution/first_step | weight: tensor([0.9975, 0.9975, 0.9875,
    0.9975])
C6 updates/momentum updates/momentum | step 1, w:      tensor([0.997500, 0.997500, 0.987500,
    0.997500])
C7* convolution/data-on-module convolution/data_on_module | its weight has changed: False |
    state_dict holds: ['weight'] | after copy_, weight: | tensor([[-1.,  0.,  1.],
C8* convolution/max-pool convolution/which_class | classes with the largest logit: tensor([0, 1, 3])
    | max, class: tensor([0]) | argmax, class: tensor([0])
"""
"""Each fact: page, script, prints in this order. A star: then-and-now/ leads to its page."""


def places() -> list[tuple[str, str, str, list[str]]]:
    """The facts as their rows, pages, scripts, and what these print."""
    lines = SHOWN.strip().replace("\n    ", " ").splitlines()
    return [(*head.split(" "), prints) for head, *prints in (line.split(" | ") for line in lines)]


def test_every_promised_fact_is_shown():
    rows = {row.rstrip("*") for row, *_ in places()}
    assert rows == {f"{row}{number}" for row, last in LAST.items() for number in range(1, last + 1)}


@pytest.mark.parametrize(("row", "page", "script", "prints"), places())
def test_a_fact_is_on_its_page_and_its_script_prints_it(row, page, script, prints):
    for language in ("zh", "en"):
        file = f"docs/{page}.{language}.md"
        shown = {reference.path for reference in parse(file, read(ROOT / file)).references}
        assert f"snippets/{script}.py" in shown, f"{row}: {file} does not show {script}.py"
        index = read(ROOT / f"docs/then-and-now/index.{language}.md")
        link = f"]({posixpath.relpath(page, 'then-and-now')}.{language}.md"
        assert row[-1] != "*" or link in index, f"{row}: no link to {page}"
    output, at = read(ROOT / f"snippets/{script}.out"), 0
    assert prints and all(len(text) > 3 for text in prints), row
    for text in prints:
        at = output.find(text, at)
        assert at >= 0, f"{row}: {script}.out does not print {text!r} (in this order)"
        at += len(text)
