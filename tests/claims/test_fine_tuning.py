"""What the pages of fine-tuning say in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn import functional as F

pytestmark = pytest.mark.upgrade

seeds = st.integers(0, 1000)


@attacks(
    "fine-tuning/lora#why",
    zh="随机的权重、输入和损失；秩 1 到 3；float32 和 float64；五种优化器",
    en="random weights, inputs and losses; ranks 1 to 3; float32 and float64; five optimizers",
)
@given(
    seed=seeds,
    r=st.integers(1, 3),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    optimizer=st.sampled_from([optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad]),
)
def test_the_first_step_moves_only_the_factor_that_starts_at_zero(seed, r, dtype, optimizer):
    torch.manual_seed(seed)
    W, x, target = (torch.randn(shape, dtype=dtype) for shape in ((4, 5), (3, 5), (3, 4)))
    factors = [torch.randn(r, 5, dtype=dtype), torch.zeros(4, r, dtype=dtype)]
    A, B = (factor.requires_grad_() for factor in factors)
    # Weight decay would move A without a gradient.
    chosen = optimizer([A, B], lr=0.1, weight_decay=0)
    for first in (True, False):
        before = A.detach().clone()
        chosen.zero_grad()
        F.mse_loss(x @ W.T + x @ A.T @ B.T, target).backward()
        chosen.step()
        assert (A.grad.count_nonzero() == 0) == torch.equal(A, before) == first
        assert B.grad.count_nonzero() > 0


@attacks(
    "fine-tuning/lora#alpha",
    zh="秩 1、2、8、32；Adam 和 AdamW",
    en="ranks 1, 2, 8 and 32; Adam and AdamW",
)
@pytest.mark.parametrize("optimizer", [optim.Adam, optim.AdamW])
def test_the_first_step_of_adam_moves_the_product_alike_for_every_rank(optimizer):
    x, moved = torch.tensor([1.0, 2.0]), []
    for r in (1, 2, 8, 32):
        A, B = torch.ones(r, 2), torch.zeros(3, r, requires_grad=True)
        (8 / r * B @ A @ x).sum().backward()
        optimizer([B], lr=0.01).step()
        moved.append(8 / r * B.detach() @ A @ x)
    for each in moved:
        torch.testing.assert_close(each, moved[0])


@attacks(
    "fine-tuning/frozen-base#why",
    zh="适配器在任意几层",
    en="adapters in any of the layers",
)
@given(adapted=st.sets(st.integers(0, 3), min_size=1))
def test_activations_are_kept_from_the_lowest_adapter_on(adapted):
    kept, h = {}, torch.randn(8, 6)
    weights = []

    def pack(tensor):
        if all(tensor.data_ptr() != weight.data_ptr() for weight in weights):
            kept[tensor.data_ptr()] = tensor
        return tensor

    lowest, expected = min(adapted), 0
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        for i in range(4):
            W, A, B = torch.randn(6, 6), torch.randn(1, 6), torch.randn(6, 1)
            weights += W, A, B
            h = h.relu() if i else h
            if i in adapted:
                h = F.linear(h, W) + F.linear(F.linear(h, A.requires_grad_()), B.requires_grad_())
                expected += h.shape[0]  # what B's gradient needs
            else:
                h = F.linear(h, W)
            # The result of a ReLU, or the input of the lowest adapter.
            expected += h.numel() if i >= lowest else 0
    assert sum(t.numel() for t in kept.values()) == expected


@attacks(
    "fine-tuning/tokens#tokens",
    zh="一到六行、每行若干个标签，任意拆分",
    en="one to six rows with any number of labels, split in any way",
)
@given(seed=seeds, rows=st.integers(1, 6), cut=st.integers(0, 6))
def test_sums_over_the_total_do_not_depend_on_the_split(seed, rows, cut):
    torch.manual_seed(seed)
    labels = torch.randint(-1, 3, (rows, 5))
    labels[labels < 0], labels[0, 0] = -100, 1
    model = nn.Linear(4, 3).double()
    x = torch.randn(rows, 5, 4, dtype=torch.float64)
    total, gradients = (labels != -100).sum(), []
    for parts in ([slice(None)], [slice(cut), slice(cut, None)], range(rows)):
        model.zero_grad()
        for part in parts:
            scores, wanted = model(x[part]).reshape(-1, 3), labels[part].reshape(-1)
            (F.cross_entropy(scores, wanted, reduction="sum") / total).backward()
        gradients.append(model.weight.grad.clone())
    torch.testing.assert_close(gradients[1:], gradients[:1] * 2)


@attacks(
    "fine-tuning/dpo#dpo",
    zh="随机的权重，任意 β；参考模型带图或不带图，共用权重或有自己的一份",
    en="random weights and any beta; a reference with and without a graph, with the same weights and with its own",
)
@given(seed=seeds, beta=st.floats(0.01, 1.0))
def test_a_reference_with_a_graph_cancels_only_through_shared_weights(seed, beta):
    torch.manual_seed(seed)
    policy, copy = nn.Linear(3, 4).double(), nn.Linear(3, 4).double()
    copy.load_state_dict(policy.state_dict())
    x = torch.randn(3, dtype=torch.float64)

    def gradient(reference):
        policy.zero_grad()
        gain = policy(x).log_softmax(0) - reference
        loss = -F.logsigmoid(beta * (gain[0] - gain[1]))
        loss.backward()
        torch.testing.assert_close(loss.exp(), torch.tensor(2.0).double())
        return policy.weight.grad

    with torch.no_grad():
        constant = policy(x).log_softmax(0)
    expected = gradient(constant).clone()
    assert expected.abs().sum() > 0
    torch.testing.assert_close(gradient(copy(x).log_softmax(0)), expected)
    shared = gradient(policy(x).log_softmax(0))
    torch.testing.assert_close(shared, torch.zeros_like(shared))


@attacks(
    "fine-tuning/ratio#clip",
    zh="比值从 0.01 到 4，优势从 -3 到 3，界限的两侧",
    en="ratios from 0.01 to 4, advantages from -3 to 3, on both sides of the limits",
)
@given(value=st.floats(0.01, 4), advantage=st.floats(-3, 3))
def test_clipping_takes_the_gradient_only_where_the_advantage_is_followed_too_far(value, advantage):
    ratio = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).backward()
    too_far = (value > 1.2 and advantage > 0) or (value < 0.8 and advantage < 0)
    assert ratio.grad.item() == pytest.approx(0 if too_far else advantage)


@attacks(
    "fine-tuning/ratio#group",
    zh="二到八个回答，随机的奖励和策略",
    en="two to eight answers, random rewards and policies",
)
@given(seed=seeds, answers=st.integers(2, 8))
def test_the_loss_of_a_group_is_zero_at_a_ratio_of_one(seed, answers):
    torch.manual_seed(seed)
    logits = torch.randn(3, dtype=torch.float64, requires_grad=True)
    rewards = torch.rand(answers, dtype=torch.float64)
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    log_probs = logits.log_softmax(0)[torch.randint(3, (answers,))]
    loss = -((log_probs - log_probs.detach()).exp() * advantages).mean()
    (through_ratio,) = torch.autograd.grad(loss, logits, retain_graph=True)
    (reinforce,) = torch.autograd.grad(-(log_probs * advantages).mean(), logits)
    assert abs(loss.item()) < 1e-12
    torch.testing.assert_close(through_ratio, reinforce)


@attacks(
    "fine-tuning/quantized#why",
    zh="int8 和 uint8，随机的权重，float32 和 bfloat16 的计算",
    en="int8 and uint8, random weights, computed in float32 and bfloat16",
)
@given(seed=seeds, stored=st.sampled_from([torch.int8, torch.uint8]), half=st.booleans())
def test_a_quantized_layer_passes_the_gradient_on_without_having_one(seed, stored, half):
    torch.manual_seed(seed)
    dtype = torch.bfloat16 if half else torch.float32
    q = torch.randint(0, 100, (3, 4)).to(stored)
    x = torch.randn(2, 4, dtype=dtype, requires_grad=True)
    W = q.to(dtype) * 0.25
    upstream = torch.randn(2, 3, dtype=dtype)
    (x @ W.T).backward(upstream)
    assert not W.requires_grad
    torch.testing.assert_close(x.grad, upstream @ W)
    with pytest.raises(RuntimeError, match="floating point"):
        q.requires_grad_()
