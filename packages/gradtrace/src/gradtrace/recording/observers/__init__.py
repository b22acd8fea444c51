"""What watches a running script: one module for each group of events (`gradtrace.trace.Event`).

    operations       op                                     hooks           reg, hook
    backward_passes  backward, node, acc, backward_end,     optimizers      step
                     error                                  leaf_changes    grad_set, set
    script_lines     call, and the names of tensors         printed_output  print
    module_calls     no events: `Trace.calls`, and `within` of op
    compiled_code    no events: `Trace.eager`

For a new kind of event: describe it in `gradtrace.trace`, write it with `EventLog.add` in a module
here, which `gradtrace.recording.recorder` puts in place, and give it a sentence in
`gradtrace.narrate.steps`.
"""
