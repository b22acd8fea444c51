"""What a doctor says in Chinese (zh) where the script has failed."""

from __future__ import annotations

ADVICE = {
    "backward-twice": (
        "`{node}` 要再执行一次。",
        "它是{made}加进图里的。",
        "{freed}的那次反向传播已经把它保存的值释放了。",
    ),
    "stepped-before-backward": (
        "{culprit}的 `{optimizer}.step()` 改了权重，而{made}的 `{source}` 保存了改之前的值，"
        "这次反向传播正要用。",
    ),
    "edited-in-place": (
        "`{node}` 要用的值，在{made}的 `{source}` 保存之后被改过。",
        "{culprit}原地修改了它：`{edit}`。",
    ),
    "graph-is-cut": ("`{loss}` 没有计算图：{cut}的 `{source}` 把它切断了。",),
    "nothing-requires-grad": ("算出 `{loss}` 的张量都不需要梯度，所以没有计算图。",),
    "loss-is-no-tensor": ("调用 `backward` 的是 Python 数字，不是张量：{message}。",),
    "not-a-scalar": ("调用 `backward` 的张量不止一个元素。",),
    "wrong-seed-shape": ("传给 `backward` 的梯度，形状和输出不一样。",),
    "leaf-edited": ("自动求导开着的时候，需要梯度的叶子张量被原地修改了。",),
    "view-edited": ("autograd 不允许原地修改这个视图：{message}。",),
    "flag-on-non-leaf": ("在计算出来的张量（不是叶子）上设置了 `requires_grad`。",),
    "not-in-graph": ("要对一个张量求梯度，可是计算时没有用到它。",),
    "inference-tensor": ("`inference_mode` 里创建的张量被用来训练了。",),
    "non-leaf-optimized": ("交给优化器的是计算出来的张量，不是叶子。",),
    "nothing-to-optimize": ("没有交给优化器任何参数。",),
    "parameter-twice": ("同一个参数交给优化器不止一次。",),
    "closure-missing": ("这个优化器一步里要算好几次损失。",),
    "wrong-hook-return": ("钩子返回了不该返回的东西：{message}。",),
    "grad-is-none": ("这里的 `.grad` 还是 None：{message}。",),
    "numpy-of-graph": ("对带计算图的张量调用了 `numpy()`。",),
    "copy-of-graph": ("计算出来的张量不能深拷贝，只有叶子可以。",),
    "wrong-grad-assigned": ("赋给 `.grad` 的张量不合要求：{message}。",),
    "integers-need-no-grad": ("整数张量不能需要梯度：{message}。",),
    "batch-of-one": ("训练模式的 BatchNorm 每个通道只收到一个值：这一批只有一个样本。",),
    "dtypes-differ": ("两种不能混用的 dtype 碰到了一起：{message}。",),
    "shapes-differ": ("两个形状对不上：{message}。",),
    "carried-over": (
        "这次反向传播经过{made}的 `{tensor}`，走进了以前的计算图。",
        "{freed}的那次反向传播已经把那个图保存的值释放了。",
    ),
    "leaf-replaced": (
        "`{name}` 已经不是原来的叶子：{made}把它换成了 `{source}` 的结果，"
        "而计算出来的张量没有 `.grad`。",
    ),
    "gradient-without-graph": (
        "`{name}` 是{made}的 `grad()` 算出的梯度；没有 `create_graph=True`，"
        "以后的反向传播只把它当常数。",
    ),
    "scaler-out-of-order": ("GradScaler 的调用次序不对：{message}。",),
    "half-gradients": ("参数是 float16，梯度也就是 float16：{message}。",),
    "function-wrong-return": ("自定义 Function 的 backward 返回的梯度和输入对不上：{message}。",),
    "hook-refused": ("这个张量上不能注册这种钩子：{message}。",),
    "resumed-otherwise": ("保存的状态和现在的参数对不上：{message}。",),
    "script-failed": ("脚本出错：{message}。",),
}

MEND = {
    "backward-twice": "把损失加起来只调用一次 `backward()`，或重新做一次前向传播，"
    "或给前一次加上 `retain_graph=True`",
    "stepped-before-backward": "等用到这个权重的反向传播都做完再 `step()`，或在更新之后重新算输出",
    "edited-in-place": "换成不是原地的写法（`x = x + 1`），或先 `clone()`",
    "graph-is-cut": "通往损失的路上不要有这个调用",
    "nothing-requires-grad": "要训练的参数设 `requires_grad=True`，并且不要放在 `no_grad()` 里算",
    "loss-is-no-tensor": "在 `.item()` 或 `float()` 之前，对损失张量本身调用 `backward()`；"
    "也可能是累加损失的循环一次也没有执行",
    "not-a-scalar": "先取平均或求和，或传入与输出同形状的 `gradient=`",
    "wrong-seed-shape": "传入与输出同形状的梯度",
    "leaf-edited": "放进 `with torch.no_grad():` 里改，或改它的 `clone()`",
    "view-edited": "设 `inplace=False`，或先 `clone()` 再改",
    "flag-on-non-leaf": "在使用之前设到叶子上，或先 `detach()`",
    "not-in-graph": "传 `allow_unused=True`，或查清损失为什么不依赖它",
    "inference-tensor": "改用 `no_grad()`，或在外面 `clone()` 一份",
    "non-leaf-optimized": "先做好张量，最后再 `requires_grad_()`，或用 `nn.Parameter`",
    "nothing-to-optimize": "传 `model.parameters()`；放在普通列表里的模块不会注册，"
    "要用 `nn.ModuleList`",
    "parameter-twice": "每个参数只放进一个组，只放一次",
    "closure-missing": "传一个函数：清零、算损失、`backward()`，然后返回损失",
    "wrong-hook-return": "返回与收到的形状相同的张量（或元组），或者什么也不返回",
    "grad-is-none": "先调用 `backward()`；如果调用过，下面会说明它为什么没有梯度",
    "numpy-of-graph": "`tensor.detach().cpu().numpy()`",
    "copy-of-graph": "在使用之前拷贝，或拷贝 `tensor.detach()`",
    "wrong-grad-assigned": "赋值的张量，形状、dtype 和设备要与参数相同",
    "integers-need-no-grad": "用浮点类型：`torch.tensor(2.0)`",
    "batch-of-one": "丢掉最后不满的一批（`drop_last=True`），预测时用 `eval()`",
    "dtypes-differ": "转换其中一个：`.float()` 或 `.to(other.dtype)`",
    "shapes-differ": "在前一行打印两个形状",
    "carried-over": "为这次反向传播重新算一遍；如果梯度不必回到以前（如 RNN 的隐状态），"
    "就只把 `tensor.detach()` 带过来",
    "leaf-replaced": "保留叶子，原地更新：`with torch.no_grad(): w -= lr * w.grad`",
    "gradient-without-graph": "如果要对这个梯度再求导，传 `create_graph=True`",
    "scaler-out-of-order": "各调用一次，按这个次序：`scaler.scale(loss).backward()`、"
    "`scaler.unscale_(optimizer)`（要裁剪时）、`scaler.step(optimizer)`、`scaler.update()`",
    "half-gradients": "参数保持 float32，在 `torch.autocast` 里计算",
    "function-wrong-return": "`forward` 的每个参数对应一个同形状的梯度；不是张量的，返回 None",
    "hook-refused": "注册到需要梯度的张量上；梯度累积后钩子只能注册到叶子上",
    "resumed-otherwise": "按保存时的样子建模型和优化器",
    "script-failed": "看上面的报错信息",
}
