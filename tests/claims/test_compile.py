"""What the pages of compile say in general."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

pytestmark = pytest.mark.upgrade

CHILDREN = {
    "Linear": lambda: nn.Linear(3, 3),
    "LayerNorm": lambda: nn.LayerNorm(3),
    "Conv1d": lambda: nn.Conv1d(2, 2, 1),
}
BACKENDS = st.sampled_from(["eager", "aot_eager"])


class Net(nn.Module):
    def __init__(self, child: str) -> None:
        super().__init__()
        self.child = CHILDREN[child]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.child(x).tanh() * 2


@settings(max_examples=16, deadline=None)
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    kind=st.sampled_from(
        [
            "forward_pre_hook",
            "forward_hook",
            "full_backward_pre_hook",
            "full_backward_hook",
            "hook",
            "post_accumulate_grad_hook",
        ]
    ),
    other=st.sampled_from([None, "forward_pre_hook", "forward_hook"]),
    needs=st.booleans(),
    calls=st.integers(1, 3),
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_a_late_module_hook_is_silent_until_compiled_again(
    backend, child, kind, other, needs, calls
):
    """added-later: until reset; a hook on a parameter fires in each backward pass."""
    torch.compiler.reset()
    net = Net(child)
    if other not in (None, kind):
        getattr(net.child, f"register_{other}")(lambda *args: None)
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(2, 2, 3, requires_grad=needs)
    compiled(x).sum().backward()
    fired = []
    of_parameter = kind in ("hook", "post_accumulate_grad_hook")
    place = net.child.weight if of_parameter else net.child
    getattr(place, f"register_{kind}")(lambda *args: fired.append(1))
    for _ in range(calls):
        compiled(x).sum().backward()
    assert len(fired) == (calls if of_parameter else 0)
    fired.clear()
    torch.compiler.reset()
    compiled(x).sum().backward()
    assert len(fired) == 1
