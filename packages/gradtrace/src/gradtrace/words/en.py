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
    "hook": "{kind} `{hook}`",
    "hook_on": "{kind} `{hook}` on {target}",
    "hook_gets": "{who} gets {got}",
    "hook_called": "{who} is called",
    "hook_after": "{who} is called with `{name}` itself",
    "hook_module": "{who} is called: `grad_input` is {inputs}, `grad_output` is {outputs}",
    "hook_before": "{who} is called: `grad_output` is {outputs}",
    "hook_forward": "{who} is called: the input is {inputs}, the output {outputs}",
    "hook_forward_pre": "{who} is called: the input is {inputs}",
    "hook_then": "Then `{hook}` {clauses}.",
    "and_it": "; it {clauses}",
    "and_does": " and ",
    "does": ", ",
    "and_last_does": ", and ",
    "prints": "prints {text}",
    "returns": "returns {given}: the gradient is now {given}",
    "returns_nothing": "returns nothing",
    "returns_value": "returns {given}",
    "replaces": "returns {given}, which is passed on instead",
    "no_effect": "What it returns has no effect.",
    "called": "{node} calls `{name}`.",
    "called_and": "{node} calls `{name}`, which prints {text}.",
    # the backward pass
    "backward": "The backward pass starts at `{name}`: {node} will receive {seed}.",
    "backward_n": "Backward pass {number} starts at `{name}`: {node} will receive {seed}.",
    "receives": "{node} receives {got}",
    "passes": " and passes {given}",
    "passes_on": "it to {nodes}",
    "gives": "{values} to {node}",
    "by_factor": "{result} ({product})",
    "gradient": "the gradient",
    "by_placed": "{result} (each number × {factor}, in its place)",
    "by_matrix": "{result} (through the {size} Jacobian matrix)",
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
    # parameters without a gradient, or with one that is not used
    "grad_why": "{grad} ({why})",
    "why_unused": "unused",
    "why_frozen": "frozen",
    "why_detached": "cut off",
    "why_not_on_path": "not on the path",
    "why_not_asked": "not asked for",
    "why_not_in_optimizer": "in no optimizer",
    "said_unused": "No gradient for {names}: unused by any operation.",
    "said_not_called": "No gradient for {names}: nothing called {modules}.",
    "said_frozen": "No gradient for {names}: `requires_grad` is False.",
    "said_detached": "No gradient for {names}: {cut}.",
    "said_not_on_path": "No gradient for {names}: used, but not for the loss.",
    "said_not_asked": "No gradient for {names}: the pass was asked, by `inputs`, for others alone.",
    "said_not_in_optimizer": "No optimizer holds {names}: the gradient updates nothing.",
    "cut_detach": "`{source}` {where} cuts its result off from the graph",
    "cut_data": "`{source}` {where} takes the numbers without the graph",
    "cut_no_grad": "`{source}` {where} ran while gradients were off",
    "cut_new_tensor": "`{source}` {where} makes a new tensor, outside the graph",
    "cut_number": "`{source}` {where} makes a Python number, outside the graph",
    "cut_no_derivative": "`{source}` {where} passes no gradient back",
    "cut_none": "the backward of `{op}` {where} returned None",
    "cut_unknown": "the way back to the loss is cut",
    "place": "(line {line})",
    "place_in": "(`{file}`, line {line})",
    "and_other_parameters": "{names} and {count} other parameters",
    "and_other_modules": "{names} and {count} other modules",
    "sentences": " ",
    # assignments, optimizers, output, errors
    "grad_set": "`{name}.grad` goes from {before} to {after}",
    "set": "`{name}` goes from {before} to {after}.",
    "step": "Optimizer `{optimizer}` makes a step: {updates}.",
    "update": "`{name}` goes from {before} to {after} (its gradient is {grad})",
    "unmoved": "`{name}` stays {after} (its gradient is {grad})",
    "skipped": "skips `{name}`, which has no gradient; it stays {after}",
    "print": "Output: {text}",
    "error": "Error: `{message}`",
    # nodes, modules and tensors within a sentence
    "node_of": "{node} (`{name}`)",
    "leaf_node": "{node} of `{name}`",
    "entrance_node": "{node} at the entrance of `{name}`",
    "exit_node": "{node} at the exit of `{name}`",
    "title_entrance": "{name} entrance",
    "title_exit": "{name} exit",
    "module": "module `{name}`",
    "every_module": "every module",
    "optimizer": "optimizer `{name}`",
    "tensor": "`{name}`",
    "and": ", ",
    "and_last": " and ",
    "then": "; ",
    "stop": ".",
    "more": "; {count} more parameters are updated",
    "more_one": "; {count} more parameter is updated",
    "more_grads": "; {count} more gradients change too",
    "more_grads_one": "; {count} more gradient changes too",
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
    "step_pre_hook": "Hook before the step",
    "step_post_hook": "Hook after the step",
    "other_hook": "Hook",
    # the figure: accessible names, caption
    "svg_title": "Computational graph: {boxes} boxes; the forward pass runs from top to bottom",
    "svg_leaf": "{name}.grad: {grad}.",
    "svg_error": "Error: {message}.",
    "box": "Computational graph, scrolls sideways",
    "vary": "Change it|Value of #|Back to #|With this value the graph is another one.|"
    "The data could not be loaded. Check your connection and try again.|"
    "That value was not recorded; the nearest is #.",
    "all_steps": "All {count} steps",
    "recorded": "Recorded with PyTorch {version}.",
    "left_out": " Recording stopped at line {line}; what came later isn't drawn.",
    # the legend: the look of a sample, and its meaning
    "drawn_leaf": "thick square box|leaf tensor that requires a gradient",
    "drawn_node": "rounded box|result of an operation",
    "drawn_constant": "dashed box|requires no gradient",
    "drawn_module": "box with cut corners|border of a module",
    "drawn_failed": "red box|failed here",
    "drawn_running": "red frame|running",
    "drawn_forward": "thin gray arrow down|forward: values",
    "drawn_back": "thick and thin arrow up|backward: the wider, the larger the gradient",
    "drawn_back_norm": "thick and thin arrow up|backward: the wider, the larger the norm",
    "drawn_plus": "amber|positive",
    "drawn_minus": "blue|negative",
    "drawn_mixed": "violet|positive and negative",
    "drawn_zero": "gray|zero",
    "drawn_odd": "red|nan or inf",
    "drawn_cut": "crossed line|no gradient goes back",
    "drawn_hook": "hook|hook",
    "sign_grad": "gradient received",
    "sign_leaf_grad": "adds up what arrives (AccumulateGrad)",
    "sign_summed": "gradient on this line; those of one backward pass add up in the box",
    "sign_local": "local derivative: the gradient is multiplied by it",
    "sign_local_matrix": "product of matrices",
    "sign_passes": "number of the backward pass",
    "sign_history": "from old to new",
    # labels of the player, in the order in which trace.js reads them
    "buttons": "First step|Previous step|Play|Pause|Next step|Last step|Step|"
    "Step # of {count}|Line #|{count} steps: watch it run, one at a time|"
    "The forward pass is done; next is the backward pass. "
    "Press play, and watch the gradients go back step by step.|"
    "To the start of backward pass #|Speed #",
    # folded groups of boxes
    "whole": "the whole graph",
    "earlier": "several others, earlier",
    "later": "several others, later",
    "line": "line {first}",
    "lines": "lines {first}–{last}",
    "iteration": "iteration {first}",
    "iterations": "iterations {first}–{last}",
    "leaves": "{count} parameters and inputs",
    "boxes": "{count} boxes",
    "parameters": "{total} parameters",
    "parameters_of": "{count} of {total} parameters",
    # the stand-alone page, and notes on what was left out and how the script ended
    "about": "One run of `{file}`, with every step recorded: which line ran, who received which"
    " gradient, and how `.grad` changed.",
    "about_varied": "`{file}`, run once for each value. Change it, and everything follows: each"
    " number was recorded.",
    "source": "The script, scrolls",
    "printed": "Printed while it was recorded",
    "pass": "backward pass {first}",
    "passes_from": "backward passes {first}–{last}",
    "no_pass": "no backward pass",
    "failed_forward": "the forward pass that failed",
    "failing": "{label} (fails)",
    "first_steps": "The page has no room for the first {count} steps one by one: this is what"
    " they left in parameters and inputs.",
    "more_steps": "{count} more steps are told by the player, which needs JavaScript.",
    # in the order in which page.js reads them
    "tools": "What is open|Back to what is around it (Esc)|"
    "Search: module, tensor, operation, line (/)|Zoom out (−)|Fit the picture (0)|"
    "Zoom in (+)|Follow the steps into folded boxes (F)|Light or dark|What to show|File|"
    "Nothing found",
    "made_by": "Made by `gradtrace`.",
    "note_eager": "The script uses `torch.compile`. What is compiled ran eagerly while it was"
    " recorded, so that each operation can be shown; compiled code may round differently.",
    "note_large": "{count} more backward passes were recorded, for which the page has no room."
    " To see them, for example: `--passes {other}`.",
    "note_over": "This page has {size} kB, more than the usual {usual}: the code, and the pictures"
    " of {boxes} boxes, take so much. `gradtrace.record` around a part of the script records less.",
    "note_enough": "{total} backward passes were recorded; from line {line} on the script ran"
    " without the recorder.",
    "note_stopped": "{total} backward passes were recorded; then, at line {line}, the script was"
    " stopped, as you asked.",
    "later_error": "After the recording the script failed: {message}. To record the last"
    " steps before it: --until error",
    "no_browser": "No browser was found to open the page in.",
    "note_began_step": "Recording began with step {step} of the optimizer: backward pass 1 on this"
    " page is pass {next} of the script.",
    "note_began_start": "Backward pass {next} of the script starts from a value that is not finite:"
    " recording began there, and it is pass 1 on this page. To record its forward pass, too:"
    " `{again}`.",
    "note_began_grad": "After backward pass {passes} of the script the gradient of `{of}` was not"
    " finite: recording began after it. To record that pass itself: `{again}`.",
    "note_began_zero": "At step {step} of the optimizer the gradient of `{of}` was zero everywhere:"
    " recording began after it. To record that step itself: `{again}`.",
    "note_began_recent": "Only the last steps before the error were kept: backward pass 1 on this"
    " page is pass {next} of the script.",
    "nothing_after": "No backward pass came after that: no page was written.",
    "never_step": "Step {first} did not come: the script made {steps} steps of an optimizer. No"
    " page was written.",
    "never_error": "The script did not fail. No page was written.",
    "never_nan": "No loss and no gradient held nan in {passes} backward passes ({steps} steps of"
    " the optimizer). No page was written.",
    "never_inf": "Every loss and every gradient was finite in {passes} backward passes ({steps}"
    " steps of the optimizer). No page was written.",
    "never_zero_grad": "At none of {steps} steps of the optimizer was a gradient zero everywhere."
    " No page was written.",
    "note_limit": "After {seconds} seconds the script was stopped at line {line}, before its end.",
    "note_interrupted": "You interrupted the script at line {line}.",
    "note_full": "Recording stopped at line {line}: it holds {events} events, and nothing later.",
    "note_error": "The script failed at line {line}: `{message}`",
    # runs with other numbers
    "vary_run": "Run {number} of {count}: {label}",
    "vary_nothing": "With this value no backward pass was recorded.",
    "vary_same": "The run is the same with all these values: what was recorded does not depend on"
    " {names}.",
}

REPORT_WORDS = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "errors": "1 error|{n} errors",
    "warnings": "1 warning|{n} warnings",
    "notes": "1 note|{n} notes",
    "nothing": "nothing found",
    "looked": "{passes}, {steps}",
    "passes": "1 backward pass|{n} backward passes",
    "steps": "1 step|{n} steps",
    "summary": "{script}: {counts} ({looked})",
    "between": ", ",
    "line": "line {line}",
    "line_of": "line {line} of {file}",
    "nowhere": "-",
    "comma": ", ",
    "more": "{names} and {n} more",
    "fix": "Do",
    "book": "See",
    "fine": "fine",
    "got": "{n} of {total} parameters got a gradient",
    "frozen": "{n} of {total} parameters are frozen, {got} of the other {others} got a gradient",
    "finite": "no nan and no inf in any loss, gradient or parameter",
    "moved": "the steps moved {n} of {total} parameters",
    "cleared": "each step used new gradients",
    "layers": "layer",
    "gradient": "gradient",
    "update": "update",
    "columns": "(gradient: median of its norm; update: how far a step moves the weight,"
    " as a part of its norm)",
    "stop": " ",
    # further messages of the command
    "began": "Looked at from step {step} of the optimizer on.",
    "never_step": "Step {first} did not come: the script made {steps} steps of an optimizer.",
    "never_error": "The script did not fail.",
}
"""The texts of a doctor's report around its findings."""
