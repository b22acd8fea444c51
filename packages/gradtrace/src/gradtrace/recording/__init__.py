"""Runs a script and observes it. Each group of events (`gradtrace.trace.Event`) has a module:

    operations       op                                     hooks           reg, hook
    backward_passes  backward, node, acc, backward_end,     optimizers      step
                     error                                  leaf_changes    grad_set, set
    script_lines     call, print, and the names of tensors
    names            no events: `Trace.calls`, and `within` of op

For a new kind of event: describe it in `gradtrace.trace`, write it with `EventLog.add` in a module
here, which `gradtrace.recording.recorder` puts in place, and give it a sentence in
`gradtrace.story.steps`.
"""
