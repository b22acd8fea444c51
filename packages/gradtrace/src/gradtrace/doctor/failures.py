"""Why the script failed: what its error means, and which line caused it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from gradtrace.doctor.finding import Finding, Kind, Place, kind_of_message
from gradtrace.doctor.run import Pass, Run
from gradtrace.graph.cuts import cut_at, last_cuts
from gradtrace.graph.index import TraceIndex
from gradtrace.trace import Event

_VIEWS = {
    *("detach", "getitem", "view", "view_as", "reshape", "flatten", "t", "transpose", "permute"),
    *("squeeze", "unsqueeze", "expand", "select", "narrow", "chunk", "split", "unbind", "diagonal"),
}
"""Operations whose results share the memory and the version counter of their input."""

BACKWARD_TWICE = Kind("backward-twice", "error", "accumulate/second-time#mend").says(
    en="`{node}` runs again.\n"
    "It is of {made}.\n"
    "The pass at {freed} freed what it had saved.\n"
    "-> add the losses and call `backward()` once, compute the forward pass anew, or pass"
    " `retain_graph=True` to the earlier call",
    zh="`{node}` 要再执行一次。\n"
    "它是{made}加进图里的。\n"
    "{freed}的那次反向传播已经把它保存的值释放了。\n"
    "-> 把损失加起来只调用一次 `backward()`，或重新做一次前向传播，或给前一次加上"
    " `retain_graph=True`",
)

STEPPED_BEFORE_BACKWARD = Kind(
    "stepped-before-backward", "error", "accumulate/second-time#in-a-loop"
).says(
    en="{culprit} updated a weight with `{optimizer}.step()`; {made}, `{source}`, had saved its"
    " old value for this pass.\n"
    "-> call `step()` after all backward passes that use this weight, or compute the output again"
    " after the step",
    zh="{culprit}的 `{optimizer}.step()` 改了权重，而{made}的 `{source}` 保存了改之前的值，这次反"
    "向传播正要用。\n"
    "-> 等用到这个权重的反向传播都做完再 `step()`，或在更新之后重新算输出",
)

EDITED_IN_PLACE = Kind("edited-in-place", "error", "tensor-hooks/edited-after-hook").says(
    en="`{node}` needs a value that was changed after {made} (`{source}`) saved it.\n"
    "{culprit} changed it in place: `{edit}`.\n"
    "-> use the operation that isn't in place (`x = x + 1`), or `clone()` first",
    zh="`{node}` 要用的值，在{made}的 `{source}` 保存之后被改过。\n"
    "{culprit}原地修改了它：`{edit}`。\n"
    "-> 换成不是原地的写法（`x = x + 1`），或先 `clone()`",
)

GRAPH_IS_CUT = Kind("graph-is-cut", "error", "freezing/detach#which-end").says(
    en="`{loss}` has no graph: `{source}` at {cut} cut it off.\n"
    "-> take that call out of the way to the loss",
    zh="`{loss}` 没有计算图：{cut}的 `{source}` 把它切断了。\n-> 通往损失的路上不要有这个调用",
)

NOTHING_REQUIRES_GRAD = Kind(
    "nothing-requires-grad", "error", "basics/requires-grad#nothing-to-do"
).says(
    en="Nothing that `{loss}` was computed from requires a gradient, so it has no graph.\n"
    "-> train parameters with `requires_grad=True`, outside of `no_grad()`",
    zh="算出 `{loss}` 的张量都不需要梯度，所以没有计算图。\n"
    "-> 要训练的参数设 `requires_grad=True`，并且不要放在 `no_grad()` 里算",
)

GRAD_IS_NONE = Kind("grad-is-none", "error", "basics/first-gradient").says(
    en="`.grad` is still None here: {message}.\n"
    "-> call `backward()` first; if it was, see below why this tensor got nothing",
    zh="这里的 `.grad` 还是 None：{message}。\n"
    "-> 先调用 `backward()`；如果调用过，下面会说明它为什么没有梯度",
)

CARRIED_OVER = Kind("carried-over", "error", "accumulate/second-time#in-a-loop").says(
    en="This pass runs back into the graph of an earlier one, through `{tensor}` of {made}.\n"
    "The pass at {freed} freed what that graph had saved.\n"
    "-> compute it anew for this pass; or, if no gradient is to go back to the earlier one (the"
    " hidden state of an RNN), carry over `tensor.detach()`",
    zh="这次反向传播经过{made}的 `{tensor}`，走进了以前的计算图。\n"
    "{freed}的那次反向传播已经把那个图保存的值释放了。\n"
    "-> 为这次反向传播重新算一遍；如果梯度不必回到以前（如 RNN 的隐状态），就只把"
    " `tensor.detach()` 带过来",
)

LEAF_REPLACED = Kind("leaf-replaced", "error", "updates/by-hand#without-no-grad").says(
    en="`{name}` is no longer the leaf that it was: {made} put the result of `{source}` in its"
    " place, and a computed tensor gets no `.grad`.\n"
    "-> keep the leaf and change it in place: `with torch.no_grad(): w -= lr * w.grad`",
    zh="`{name}` 已经不是原来的叶子：{made}把它换成了 `{source}` 的结果，而计算出来的张量没有"
    " `.grad`。\n"
    "-> 保留叶子，原地更新：`with torch.no_grad(): w -= lr * w.grad`",
)

GRADIENT_WITHOUT_GRAPH = Kind("gradient-without-graph", "error", "basics/second-derivative").says(
    en="`{name}` is what the `grad()` at {made} gave; without `create_graph=True` it is a constant"
    " to later passes.\n"
    "-> pass `create_graph=True` if the gradient is to be differentiated",
    zh="`{name}` 是{made}的 `grad()` 算出的梯度；没有 `create_graph=True`，以后的反向传播只把它当"
    "常数。\n"
    "-> 如果要对这个梯度再求导，传 `create_graph=True`",
)

NOT_A_SCALAR = Kind("not-a-scalar", "error", "basics/vector").says(
    r"can be implicitly created only for scalar outputs|Expected f\(\*args\) to return a scalar|"
    r"should contain a single element",
    en="What `backward` is called on has several elements.\n"
    "-> take the mean or the sum first, or pass `gradient=` in the shape of the output",
    zh="调用 `backward` 的张量不止一个元素。\n-> 先取平均或求和，或传入与输出同形状的 `gradient=`",
)

WRONG_SEED_SHAPE = Kind("wrong-seed-shape", "error", "basics/vector#shape").says(
    r"Mismatch in shape: grad_output",
    en="The gradient given to `backward` has another shape than the output.\n"
    "-> pass a gradient in the shape of the output",
    zh="传给 `backward` 的梯度，形状和输出不一样。\n-> 传入与输出同形状的梯度",
)

LEAF_EDITED = Kind("leaf-edited", "error", "basics/edit-leaf#no-grad-or-clone").says(
    r"leaf Variable that requires grad (is being|has been) used in an in-place",
    en="A leaf that requires a gradient was changed in place while autograd watched.\n"
    "-> change it inside `with torch.no_grad():`, or change a `clone()`",
    zh="自动求导开着的时候，需要梯度的叶子张量被原地修改了。\n"
    "-> 放进 `with torch.no_grad():` 里改，或改它的 `clone()`",
)

VIEW_EDITED = Kind("view-edited", "error", "module-hooks/in-place#mend").says(
    r"is a view and is being modified inplace|no_grad mode and is being modified",
    en="A view that autograd guards was changed in place: {message}.\n"
    "-> set `inplace=False`, or `clone()` before the change",
    zh="autograd 不允许原地修改这个视图：{message}。\n-> 设 `inplace=False`，或先 `clone()` 再改",
)

FLAG_ON_NON_LEAF = Kind("flag-on-non-leaf", "error", "basics/requires-grad#flag").says(
    r"can only change requires_grad flags of leaf",
    en="`requires_grad` was set on a tensor that was computed: no leaf.\n"
    "-> set it on the leaf before it is used, or `detach()` first",
    zh="在计算出来的张量（不是叶子）上设置了 `requires_grad`。\n"
    "-> 在使用之前设到叶子上，或先 `detach()`",
)

NOT_IN_GRAPH = Kind("not-in-graph", "error", "basics/leaf#ask-for-one").says(
    r"appears to not have been used in the graph",
    en="A gradient was asked for with respect to a tensor that was not used.\n"
    "-> pass `allow_unused=True`, or see why the loss doesn't depend on it",
    zh="要对一个张量求梯度，可是计算时没有用到它。\n"
    "-> 传 `allow_unused=True`，或查清损失为什么不依赖它",
)

INFERENCE_TENSOR = Kind("inference-tensor", "error", "freezing/inference").says(
    r"nference tensors? (cannot be saved|outside InferenceMode)",
    en="A tensor made in `inference_mode` was used for training.\n"
    "-> make it under `no_grad()` instead, or `clone()` it outside",
    zh="`inference_mode` 里创建的张量被用来训练了。\n-> 改用 `no_grad()`，或在外面 `clone()` 一份",
)

NON_LEAF_OPTIMIZED = Kind("non-leaf-optimized", "error", "basics/lost-leaf#refused").says(
    r"can't optimize a non-leaf Tensor",
    en="The optimizer was given a tensor that was computed: no leaf.\n"
    "-> make the tensor first and set `requires_grad_()` last, or use `nn.Parameter`",
    zh="交给优化器的是计算出来的张量，不是叶子。\n"
    "-> 先做好张量，最后再 `requires_grad_()`，或用 `nn.Parameter`",
)

NOTHING_TO_OPTIMIZE = Kind("nothing-to-optimize", "error", "updates/what-to-pass").says(
    r"optimizer got an empty parameter list",
    en="The optimizer was given no parameters.\n"
    "-> pass `model.parameters()`; a module in a plain list is not registered, use `nn.ModuleList`",
    zh="没有交给优化器任何参数。\n"
    "-> 传 `model.parameters()`；放在普通列表里的模块不会注册，要用 `nn.ModuleList`",
)

PARAMETER_TWICE = Kind("parameter-twice", "error", "updates/what-to-pass#twice").says(
    r"parameters appear in more than one parameter group|"
    r"parameter group with duplicate parameters",
    en="One parameter was given to the optimizer more than once.\n"
    "-> give each parameter to one group, once",
    zh="同一个参数交给优化器不止一次。\n-> 每个参数只放进一个组，只放一次",
)

CLOSURE_MISSING = Kind("closure-missing", "error", "updates/optimizers#lbfgs").says(
    r"missing 1 required positional argument: 'closure'",
    en="This optimizer computes the loss several times in a step.\n"
    "-> pass a function that clears gradients, computes the loss, calls `backward()` and returns"
    " it",
    zh="这个优化器一步里要算好几次损失。\n-> 传一个函数：清零、算损失、`backward()`，然后返回损失",
)

WRONG_HOOK_RETURN = Kind("wrong-hook-return", "error", "module-hooks/wrong-return").says(
    r"hook returned|hook .*has (changed|returned)|hook returned an invalid|hooks should return",
    en="A hook returned what it must not: {message}.\n"
    "-> return a tensor (or tuple) in the shape of what came in, or nothing",
    zh="钩子返回了不该返回的东西：{message}。\n"
    "-> 返回与收到的形状相同的张量（或元组），或者什么也不返回",
)

NUMPY_OF_GRAPH = Kind("numpy-of-graph", "error", "freezing/detach").says(
    r"Can't call numpy\(\) on Tensor that requires grad",
    en="NumPy was asked for the numbers of a tensor that has a graph.\n"
    "-> `tensor.detach().cpu().numpy()`",
    zh="对带计算图的张量调用了 `numpy()`。\n-> `tensor.detach().cpu().numpy()`",
)

COPY_OF_GRAPH = Kind("copy-of-graph", "error", "basics/lost-leaf").says(
    r"support the deepcopy protocol",
    en="A tensor that was computed cannot be deep-copied: only leaves can.\n"
    "-> copy before it is used, or copy `tensor.detach()`",
    zh="计算出来的张量不能深拷贝，只有叶子可以。\n-> 在使用之前拷贝，或拷贝 `tensor.detach()`",
)

WRONG_GRAD_ASSIGNED = Kind("wrong-grad-assigned", "error", "updates/by-hand#own-gradient").says(
    r"attempting to assign a gradient|assigned grad expected",
    en="`.grad` was given something that doesn't fit: {message}.\n"
    "-> assign a tensor with the shape, dtype and device of the parameter",
    zh="赋给 `.grad` 的张量不合要求：{message}。\n-> 赋值的张量，形状、dtype 和设备要与参数相同",
)

INTEGERS_NEED_NO_GRAD = Kind("integers-need-no-grad", "error", "basics/requires-grad").says(
    r"[Oo]nly Tensors of floating point .*can require gradients",
    en="A gradient was asked for integers: {message}.\n"
    "-> use a floating-point dtype: `torch.tensor(2.0)`",
    zh="整数张量不能需要梯度：{message}。\n-> 用浮点类型：`torch.tensor(2.0)`",
)

BATCH_OF_ONE = Kind("batch-of-one", "error", "accumulate/micro-batches#batch-norm").says(
    r"Expected more than 1 value per channel when training",
    en="BatchNorm in training mode got one value per channel: a batch of one.\n"
    "-> drop the last small batch (`drop_last=True`), or `eval()` to predict",
    zh="训练模式的 BatchNorm 每个通道只收到一个值：这一批只有一个样本。\n"
    "-> 丢掉最后不满的一批（`drop_last=True`），预测时用 `eval()`",
)

SCALER_OUT_OF_ORDER = Kind("scaler-out-of-order", "error", "updates/clipping#grad-scaler").says(
    r"(step|unscale_)\(\) (has already been|is being) called|_scale is None|No inf checks",
    en="The GradScaler was called out of order: {message}.\n"
    "-> once each, in this order: `scaler.scale(loss).backward()`, `scaler.unscale_(optimizer)` if"
    " you clip, `scaler.step(optimizer)`, `scaler.update()`",
    zh="GradScaler 的调用次序不对：{message}。\n"
    "-> 各调用一次，按这个次序：`scaler.scale(loss).backward()`、`scaler.unscale_(optimizer)`（要"
    "裁剪时）、`scaler.step(optimizer)`、`scaler.update()`",
)

HALF_GRADIENTS = Kind("half-gradients", "error", "updates/clipping#grad-scaler").says(
    r"Attempting to unscale FP16 gradients",
    en="The parameters are float16, and so are their gradients: {message}.\n"
    "-> keep the parameters in float32, and compute under `torch.autocast`",
    zh="参数是 float16，梯度也就是 float16：{message}。\n"
    "-> 参数保持 float32，在 `torch.autocast` 里计算",
)

FUNCTION_WRONG_RETURN = Kind("function-wrong-return", "error", "questions#messages").says(
    r"returned an (incorrect number of gradients|invalid gradient)",
    en="The backward of a custom Function gives what doesn't fit its inputs: {message}.\n"
    "-> return one gradient for each argument of `forward`, in its shape; None for what isn't a"
    " tensor",
    zh="自定义 Function 的 backward 返回的梯度和输入对不上：{message}。\n"
    "-> `forward` 的每个参数对应一个同形状的梯度；不是张量的，返回 None",
)

HOOK_REFUSED = Kind("hook-refused", "error", "tensor-hooks/index").says(
    r"hooks? (cannot be registered|on a tensor that doesn't)|can't retain_grad on Tensor",
    en="This tensor cannot have such a hook: {message}.\n"
    "-> register it on a tensor that requires a gradient; a post-accumulate hook on a leaf",
    zh="这个张量上不能注册这种钩子：{message}。\n"
    "-> 注册到需要梯度的张量上；梯度累积后钩子只能注册到叶子上",
)

RESUMED_OTHERWISE = Kind("resumed-otherwise", "error", "updates/what-to-pass#resume").says(
    r"loaded state dict (has a different|contains a parameter group)",
    en="The saved state is that of another set of parameters: {message}.\n"
    "-> build model and optimizer as they were when the state was saved",
    zh="保存的状态和现在的参数对不上：{message}。\n-> 按保存时的样子建模型和优化器",
)

LOSS_IS_NO_TENSOR = Kind("loss-is-no-tensor", "error", "basics/requires-grad#nothing-to-do").says(
    r"object has no attribute 'backward'",
    en="What `backward` is called on is a Python number: {message}.\n"
    "-> call `backward()` on the loss itself, before `.item()` or `float()`; a loop that adds up"
    " losses may not have run",
    zh="调用 `backward` 的是 Python 数字，不是张量：{message}。\n"
    "-> 在 `.item()` 或 `float()` 之前，对损失张量本身调用 `backward()`；也可能是累加损失的循环一"
    "次也没有执行",
)

DTYPES_DIFFER = Kind("dtypes-differ", "error", "basics/first-gradient").says(
    r"must have the same dtype|expected scalar type|Found dtype \w+ but expected",
    en="Two dtypes meet that don't mix: {message}.\n"
    "-> convert one of them, with `.float()` or `.to(other.dtype)`",
    zh="两种不能混用的 dtype 碰到了一起：{message}。\n"
    "-> 转换其中一个：`.float()` 或 `.to(other.dtype)`",
)

SHAPES_DIFFER = Kind("shapes-differ", "error", "basics/broadcast").says(
    r"shapes cannot be multiplied|must match the size of tensor|size mismatch",
    en="Two shapes meet that don't fit: {message}.\n-> print both shapes on the line before",
    zh="两个形状对不上：{message}。\n-> 在前一行打印两个形状",
)

SCRIPT_FAILED = Kind("script-failed", "error", "questions#messages").says(
    en="The script failed: {message}.\n-> see the traceback above",
    zh="脚本出错：{message}。\n-> 看上面的报错信息",
)


def failure(run: Run) -> Iterator[Finding]:
    """The error that ended the script."""
    if run.failure is None:
        return
    message, place, number = run.failure
    in_pass = run.pass_number.get(number)
    for pattern, explain in _EXPLAINED.items():
        if in_pass is not None and re.search(pattern, message):
            yield explain(run, in_pass, message, place)
            return
    facts = {"message": _first_sentence(message)}
    if "NoneType" in message and ".grad" in run.line_text(place):
        yield _no_grad(run, facts, place)
        return
    yield Finding(kind_of_message(globals().values(), message) or SCRIPT_FAILED, place, facts)


def _no_grad(run: Run, facts: dict[str, object], place: Place) -> Finding:
    """`.grad` is None: was the leaf of this name replaced by a tensor that was computed?"""
    named = re.search(r"([\w.]+)\.grad\b", run.line_text(place))
    tensors = run.trace.tensors
    same = [t for t, each in tensors.items() if named and named[1] in each.get("names", ())]
    made = run.maker(same[-1]) if same else None
    replaced = made is not None and any(tensors[t]["leaf"] and tensors[t]["rg"] for t in same)
    if replaced and not tensors[same[-1]]["leaf"]:
        facts |= {"name": named[1], "made": run.place(made), "source": run.source(made)}
        return Finding(LEAF_REPLACED, place, facts)
    return Finding(GRAD_IS_NONE, place, facts)


def _twice(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """A node should run again: which pass freed its saved tensors?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    if (node := _failed_node(failed)) is None:
        return Finding(BACKWARD_TWICE, place, facts)
    facts["node"] = run.trace.nodes[node]["op"]
    if (made := run.op_of(node)) is not None:
        facts["made"] = run.place(made)
    earlier = (each for each in run.passes if each.begin < failed.begin and node in each.ran)
    if (freed := next((e for e in earlier if not e.event["retain"]), None)) is None:
        return Finding(BACKWARD_TWICE, place, facts)
    facts["freed"] = run.place(freed.event)
    if (carried := _carried_over(run, failed, freed)) is None:
        return Finding(BACKWARD_TWICE, place, facts)
    facts |= {"tensor": run.name(carried), "made": run.place(run.maker(carried, freed.begin))}
    return Finding(CARRIED_OVER, place, facts)


def _carried_over(run: Run, failed: Pass, freed: Pass) -> str | None:
    """A tensor from before a pass that an operation after it used, on the path of another pass."""
    for event in failed.nodes:
        call = run.trace.nodes[event["n"]].get("call", -1)
        if call < freed.begin:
            continue
        for tensor in run.events[call]["ins"]:
            made = run.index.makers.get(tensor)
            if made and made[0] < freed.begin and run.trace.tensors[tensor].get("n"):
                return tensor
    return None


def _edited(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """A saved tensor of a node was changed in place: which line did it?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    if (node := _failed_node(failed)) is None:
        return Finding(EDITED_IN_PLACE, place, facts)
    facts["node"] = run.trace.nodes[node]["op"]
    if (made := run.op_of(node)) is not None:
        facts["made"], facts["source"] = run.place(made), run.source(made)
    shape = re.search(r"\[torch\.\w+ \[([\d, ]*)\]\]", message)
    sizes = sorted(int(size) for size in shape[1].split(",") if size.strip()) if shape else None
    since = run.trace.nodes[node].get("call", failed.begin)
    culprit = _editor(run, node, sizes, since, failed.begin)
    if culprit is None:
        return Finding(EDITED_IN_PLACE, place, facts)
    facts["culprit"] = run.place(culprit)
    if culprit["k"] == "step":
        facts["optimizer"] = culprit["opt"]
        return Finding(STEPPED_BEFORE_BACKWARD, place, facts)
    facts["edit"] = run.source(culprit)
    return Finding(EDITED_IN_PLACE, place, facts)


def _editor(run: Run, node: str, sizes: list[int] | None, since: int, end: int) -> Event | None:
    """The last event that changed an input or output of the operation of a node."""
    tensors = set(run.trace.nodes[node].get("out", {}).values())
    waiting = [edge[0] for edge in run.trace.nodes[node]["next"] if edge]
    for key in waiting:  # a weight is saved transposed: its leaf is one node further
        entry = run.trace.nodes[key]
        tensors |= {entry.get("leaf", ""), *entry.get("out", {}).values()}
        if entry["op"] in ("TBackward0", "TransposeBackward0", "ExpandBackward0", "ViewBackward0"):
            waiting += [edge[0] for edge in entry["next"] if edge]
    if (made := run.op_of(node)) is not None:
        tensors |= {*made["ins"], *(out["t"] for out in made["out"])}
    shapes = {t: run.trace.tensors[t]["shape"] for t in tensors if t in run.trace.tensors}
    tensors = {t for t in shapes if sizes is None or sorted(shapes[t]) == sizes}
    events = run.events[since + 1 : end]
    return _last_change(events, tensors) or _last_change(events, _in_same_memory(run, tensors))


def _last_change(events: list[Event], tensors: set[str]) -> Event | None:
    for event in reversed(events):
        if event["k"] == "op" and any(
            out["t"] in tensors and out.get("inplace") for out in event["out"]
        ):
            return event
        if event["k"] == "step" and any(row["t"] in tensors for row in event["params"]):
            return event
    return None


def _in_same_memory(run: Run, tensors: set[str]) -> set[str]:
    """The tensors, their views and `detach()`ed copies, and the tensors that they are views of."""
    pairs = [
        {event["ins"][0], *(out["t"] for out in event["out"])}
        for _, event in run.all("op")
        if event["op"] in _VIEWS and event["ins"]
    ]
    found, before = set(tensors), 0
    while len(found) > before:
        before = len(found)
        found |= set().union(*(pair for pair in pairs if pair & found))
    return found


def _no_graph(run: Run, failed: Pass, message: str, place: Place) -> Finding:
    """The loss has no graph: at which operation was it lost?"""
    facts: dict[str, object] = {"message": _first_sentence(message)}
    root = next((t for t in failed.event["roots"] if t), None)
    facts["loss"] = run.name(root)
    if (constant := _constant_gradient(run, failed)) is not None:
        tensor, given = constant
        facts |= {"name": run.name(tensor), "made": run.place(given.event)}
        return Finding(GRADIENT_WITHOUT_GRAPH, place, facts)
    before = [event for event in run.events[: failed.begin] if event["k"] in ("op", "read")]
    alone = TraceIndex(replace(run.trace, events=[*before, failed.event]))
    places = [place for place in last_cuts(alone).values() if place is not None]
    if not places:
        return Finding(NOTHING_REQUIRES_GRAD, place, facts)
    cut = cut_at(alone.event(max(places)))
    facts |= {"cut": Place(cut.line, cut.file), "source": cut.source or cut.op, "how": cut.how}
    return Finding(GRAPH_IS_CUT, place, facts)


def _constant_gradient(run: Run, failed: Pass) -> tuple[str, Pass] | None:
    """The tensor without a graph that an earlier `grad()` returned, at which a pass began: no
    operation made it, and it has the shape of the input of that `grad()`."""
    tensors = run.trace.tensors
    for given in run.passes:
        if given.writes or given.event["create"] or given.begin > failed.begin:
            continue
        shapes = [tensors[t]["shape"] for t in given.event.get("inputs", ())]
        for tensor in last_cuts(run.index):
            unknown = tensor not in run.index.makers and not tensors[tensor]["rg"]
            used = run.index.users.get(tensor, [-1])[0]
            if unknown and used > given.begin and tensors[tensor]["shape"] in shapes:
                return tensor, given
    return None


def _failed_node(failed: Pass) -> str | None:
    """The node at which a pass ended: it began, and sent nothing on."""
    last = failed.nodes[-1] if failed.nodes else None
    return last["n"] if last is not None and "gout" not in last else None


def _first_sentence(message: str) -> str:
    first = message.strip().split("\n")[0]
    return re.split(r"(?<=[^.]\.) |\. Hint:", first)[0][:200].rstrip(".")


_EXPLAINED: dict[str, Callable[[Run, Pass, str, Place], Finding]] = {
    r"backward through the graph a second time": _twice,
    r"modified by an inplace operation": _edited,
    r"does not require grad and does not have a grad_fn": _no_graph,
}


CHECKS = (failure,)
