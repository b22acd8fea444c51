"""What the glossary says of hooks; its other terms are tried where their pages are."""

import pytest
import torch
from proofbook.content.attacks import attacks
from torch import nn

pytestmark = pytest.mark.upgrade

HOOKS = {
    "forward_hook": lambda module, args, output: 3 * output,
    "forward_pre_hook": lambda module, args: (3 * args[0],),
    "full_backward_hook": lambda module, into, out: (3 * into[0],),
    "full_backward_pre_hook": lambda module, out: (3 * out[0],),
}


@attacks(
    "glossary/index#hooks",
    zh="四种模块钩子，返回三倍或返回 None；输入需要梯度或不需要",
    en="four kinds of module hooks that return three times what they see, or None; an input that requires a gradient or not",
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("returns", [True, False])
@pytest.mark.parametrize("kind", HOOKS)
def test_a_value_that_a_module_hook_returns_replaces_what_it_sees(kind, returns):
    """Through a Linear without bias all of it shows."""
    module, seen = nn.Linear(2, 2, bias=False), []
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    plain = module(x)

    def hook(module, *args):
        seen.append(args)
        return HOOKS[kind](module, *args) if returns else None

    handle = getattr(module, f"register_{kind}")(hook)
    output = module(x)
    output.sum().backward()
    factor = 3 if returns else 1
    torch.testing.assert_close(output, plain * (1 if "backward" in kind else factor))
    torch.testing.assert_close(x.grad, module.weight.sum(0, keepdim=True).detach() * factor)
    handle.remove()
    seen.clear()
    module.register_full_backward_hook(lambda module, *args: seen.append(args))
    module(x.detach()).sum().backward()
    assert [(into, out[0].tolist()) for into, out in seen] == [((None,), [[1.0, 1.0]])]
