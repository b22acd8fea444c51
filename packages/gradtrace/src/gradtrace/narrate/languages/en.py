"""The sentences in English (en). Text between backticks is code."""

from __future__ import annotations

PHRASES = {
    # the `lang` of an HTML page; how names of locales in this language begin
    "html_lang": "en",
    "locales": "en english",
    # values of tensors
    "value_all": "{shape} (all {number})",
    "value_count": "{count} × {number}",
    "value_list": "{shape} ({numbers})",
    "value_comma": ", ",
    "value_norm": "{shape} (norm {number})",
    "value_range": "{shape} ({least} to {most})",
    # the forward pass
    "leaf": "`{name}` = {value} is a leaf tensor that requires a gradient.",
    "constant": "`{name}` = {value} doesn't require a gradient.",
    "op": "`{source}` gives {value} and adds {nodes} to the graph.",
    "op_inside": "Inside `{source}`, {value} is computed; {joins}.",
    "cut": "`{source}` gives {value}, outside the graph: no gradient goes back through it.",
    "border_entrance": "{node} is added at the entrance of module `{module}`;"
    " backward hooks on the module get their gradients there.",
    "border_exit": "{node} is added at the exit of module `{module}`;"
    " backward hooks on the module get their gradients there.",
    "joins": "{nodes} joins the graph",
    "joins_n": "{nodes} join the graph",
    "in_place_node": "`{source}` changes `{name}` in place; it is now {value}, and {joins}.",
    "in_place": "`{source}` changes `{name}` in place; it is now {value}.",
    # hooks
    "registered": "{kind} `{hook}` is registered on {target}. It hasn't been called yet.",
    "retain_grad": "`{name}.retain_grad()`: the gradient of `{name}` will be kept in `.grad`.",
    "hook_gets": "{kind} `{hook}` gets {got}.",
    "hook_gets_and": "{kind} `{hook}` gets {got} and {returned}.",
    "returns": "returns {given}: the gradient is now {given}",
    "returns_nothing": "returns nothing",
    "hook_multi": "{kind} `{hook}` gets {got}. What it returns has no effect.",
    "hook_called": "{kind} `{hook}` is called.",
    "hook_after": "{kind} `{hook}` is called with `{name}` itself.",
    "hook_module": "{kind} `{hook}` is called:"
    " `grad_input` is {inputs}, `grad_output` is {outputs}",
    "hook_before": "{kind} `{hook}` is called: `grad_output` is {outputs}",
    "hook_forward": "{kind} `{hook}` is called: the input is {inputs}, the output {outputs}",
    "hook_forward_pre": "{kind} `{hook}` is called: the input is {inputs}",
    "and_it": "; it {returned}",
    "returns_value": "returns {given}",
    "replaces": "returns {given}, and that goes on",
    "called": "{node} calls `{name}`.",
    # the backward pass
    "backward": "The backward pass starts at `{name}`: {node} will receive {seed}.",
    "backward_n": "Backward pass {number} starts at `{name}`: {node} will receive {seed}.",
    "receives": "{node} receives {got}",
    "passes": " and passes {given}",
    "passes_on": "it to {nodes}",
    "gives": "{values} to {node}",
    "between_gives": ", ",
    "and_gives": " and ",
    "captured": "{value} for `{name}`",
    "captures": " and computes {given}; `autograd.grad` returns it and `.grad` isn't touched",
    "captures_n": " and computes {given}; `autograd.grad` returns them and `.grad` isn't touched",
    "captures_part": " and computes {given};"
    " `autograd.grad` returns the sum and `.grad` isn't touched",
    "fails": " and fails here",
    "failed": "error",
    "filled": "{node} receives {got}; `{name}.grad` was None and is now {after}.",
    "added": "{node} receives {got}; `{name}.grad` goes from {before} to {after}.",
    "kept": "{node} receives {got}; `{name}.grad` stays {after}.",
    "collected": "{node} receives {got}.",
    # assignments, optimizers, output, errors
    "grad_set": "`{name}.grad` goes from {before} to {after}.",
    "set": "`{name}` goes from {before} to {after}.",
    "step": "Optimizer `{optimizer}` makes a step: {updates}.",
    "update": "`{name}` goes from {before} to {after} (its gradient is {grad})",
    "unmoved": "`{name}` stays {after} (its gradient is {grad})",
    "skipped": "skips `{name}`, which has no gradient; it stays {after}",
    "print": "Output: {text}",
    "print_and": "Output: {text}; then `{hook}` {returned}.",
    "error": "Error: `{message}`",
    # nodes, modules and tensors within a sentence
    "node_of": "{node} (`{name}`)",
    "leaf_node": "{node} of `{name}`",
    "entrance_node": "{node} at the entrance of `{name}`",
    "exit_node": "{node} at the exit of `{name}`",
    "module": "module `{name}`",
    "tensor": "`{name}`",
    "and": ", ",
    "and_last": " and ",
    "then": "; ",
    "stop": ".",
    "more": "; {count} more parameters are updated",
    "more_one": "; {count} more parameter is updated",
    "more_lines": " …",
    # kinds of hooks
    "tensor_hook": "Tensor hook",
    "post_accumulate_hook": "Post-accumulate hook",
    "full_backward_hook": "Full backward hook",
    "full_backward_pre_hook": "Full backward pre-hook",
    "backward_hook": "Old backward hook",
    "forward_hook": "Forward hook",
    "forward_pre_hook": "Forward pre-hook",
    "multi_grad_hook": "Multi-grad hook",
    "other_hook": "Hook",
    # the figure: accessible names, caption
    "svg_title": "Computational graph: {boxes} boxes; the forward pass runs from top to bottom",
    "svg_leaf": "{name}.grad: {grad}.",
    "svg_error": "Error: {message}.",
    "box": "Computational graph, scrolls sideways",
    "all_steps": "All {count} steps",
    "recorded": "Recorded from a run of PyTorch {version}. {signs}.",
    "left_out": " Recording stopped at line {line}; what came later isn't drawn.",
    "shape_leaf": "Square thick boxes are leaf tensors that require a gradient",
    "shape_constant": "dashed boxes are tensors that don't require a gradient",
    "shape_module": "boxes with cut corners are the border of a module",
    "shape_hook": "a line with a hook names a hook",
    "shape_cut": "no gradient goes back along a line with a cross",
    "sign_grad": "∇ is the gradient that a node receives",
    "sign_summed": "a number beside a line is the gradient that goes up it;"
    " those that meet in a box add up",
    "sign_summed_n": "a number beside a line is the gradient that goes up it;"
    " those that meet in a box in one backward pass add up",
    "sign_adds": "AccumulateGrad is the node that adds to .grad",
    "sign_passes": "{passes} number the backward passes",
    "range": "{first} to {last}",
    "sign_history": "→ leads from the old value to the new",
    "between": "; ",
    # labels of the player, in the order in which trace.js reads them
    "buttons": "First step|Previous step|Play|Pause|Next step|Last step|Step|"
    "Step # of {count}|Line #|{count} steps: watch it run, one at a time",
    # the stand-alone page, and notes on what was left out and how the script ended
    "about": "One run of `{file}`, with every step recorded: which line ran, who received which"
    " gradient, and how `.grad` changed.",
    "source": "The script, scrolls",
    "made_by": "Made by `gradtrace`.",
    "note_passes": "{total} backward passes were recorded; the figure shows only number {shown}."
    " To see others, for example: `--passes {other}`.",
    "note_parameters": "The graph is too large: {count} parameters aren't drawn, and the steps"
    " leave out the gradients that they received.",
    "note_nodes": "The graph is too large: only the {kept} boxes that the backward pass meets first"
    " are drawn; {count} others aren't.",
    "note_enough": "{total} backward passes are enough: the script was stopped at line {line},"
    " before its end.",
    "note_limit": "After {seconds} seconds the script was stopped at line {line}, before its end."
    " To give it more time: `--limit 300`.",
    "note_interrupted": "You interrupted the script at line {line}.",
    "note_full": "Recording stopped at line {line}: it holds {events} events, and nothing later.",
    "note_error": "The script failed at line {line}: `{message}`",
}
