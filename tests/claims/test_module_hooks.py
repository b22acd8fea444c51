"""What the pages of module-hooks say in general."""

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.upgrade


def counted(module: nn.Module) -> list[nn.Module]:
    """A list that grows each time the full backward hook of the module fires."""
    fired = []
    module.register_full_backward_hook(lambda module, *_: fired.append(module))
    return fired


MODULES = {
    "Linear": lambda: nn.Linear(2, 2),
    "Tanh": lambda: nn.Tanh(),
    "LayerNorm": lambda: nn.LayerNorm(2),
    "Dropout": lambda: nn.Dropout(),
    "Sequential": lambda: nn.Sequential(nn.Linear(2, 2), nn.Sigmoid()),
}


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("calls", [1, 2, 3])
@pytest.mark.parametrize("passes", [0, 1, 2, 3])
@pytest.mark.parametrize("name", MODULES)
def test_a_full_backward_hook_fires_once_for_each_pass_through_each_call(name, passes, calls, mode):
    module = MODULES[name]()
    module.train(mode == "train")
    fired = counted(module)
    x = torch.ones(3, 2, requires_grad=True)
    loss = sum(module(x).square().sum() for _ in range(calls))
    for _ in range(passes):
        loss.backward(retain_graph=True)
    assert len(fired) == calls * passes


@pytest.mark.parametrize("name", ["Linear", "Tanh", "LayerNorm", "Sequential"])
def test_a_gradient_penalty_goes_through_a_call_twice(name):
    module = MODULES[name]()
    fired = counted(module)
    x = torch.ones(3, 2, requires_grad=True)
    loss = module(x).square().sum()
    (grad,) = torch.autograd.grad(loss, x, create_graph=True)
    assert len(fired) == 1
    grad.square().sum().backward()
    assert len(fired) == 2


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_recomputed_call_counts_once(reentrant):
    module = nn.Linear(2, 2)
    fired = counted(module)
    x = torch.ones(3, 2, requires_grad=True)
    checkpoint(module, x, use_reentrant=reentrant).sum().backward()
    assert len(fired) == 1


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("needs_gradient", [True, False])
def test_a_pass_that_stops_at_the_weight_does_not_go_through(needs_gradient):
    module = nn.Linear(2, 2)
    fired = counted(module)
    x = torch.ones(3, 2, requires_grad=needs_gradient)
    torch.autograd.grad(module(x).sum(), module.weight)
    assert len(fired) == (0 if needs_gradient else 1)


@pytest.mark.parametrize("calls", [1, 2])
def test_a_replaced_grad_input_changes_parameters_only_through_earlier_calls(calls):
    """w * x and w * w * x at w = 3: by w, 1 and 6; doubled at the later call, 3 + 2 * 3 = 9."""

    def at_weight(hooked: bool) -> float:
        module = nn.Linear(1, 1, bias=False)
        nn.init.constant_(module.weight, 3.0)
        if hooked:
            module.register_full_backward_hook(lambda _, grad_input, __: (2 * grad_input[0],))
        x = torch.ones(1, 1, requires_grad=True)
        for _ in range(calls):
            x = module(x)
        x.sum().backward()
        return module.weight.grad.item()

    assert at_weight(hooked=False) == {1: 1, 2: 6}[calls]
    assert at_weight(hooked=True) == {1: 1, 2: 9}[calls]


IN_PLACE = {
    "ReLU": lambda: nn.ReLU(inplace=True),
    "Dropout": lambda: nn.Dropout(inplace=True),
    "LeakyReLU": lambda: nn.LeakyReLU(inplace=True),
    "SiLU": lambda: nn.SiLU(inplace=True),
}


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook")
@pytest.mark.parametrize(
    "make", [MODULES["Linear"], MODULES["LayerNorm"]], ids=["Linear", "LayerNorm"]
)
@pytest.mark.parametrize("name", IN_PLACE)
def test_the_full_hook_forbids_an_edit_in_place_that_the_old_one_allows(name, make):
    def train(register: str, inplace: bool = True) -> None:
        layer, change = make(), IN_PLACE[name]()
        getattr(layer, register)(lambda *_: None)
        change.inplace = inplace
        x = torch.ones(1, 2, requires_grad=True)
        nn.Sequential(layer, change)(x).sum().backward()

    train("register_backward_hook")
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        train("register_full_backward_hook")
    train("register_full_backward_hook", inplace=False)
