"""What a doctor says in Chinese (zh): of each kind what was found, and what to do.

A sentence whose facts were not found is left out.
"""

from __future__ import annotations

from gradtrace.doctor.languages import zh_failures as failures

WORDS = {
    "error": "错误",
    "warning": "警告",
    "note": "提示",
    "errors": "{n} 个错误",
    "warnings": "{n} 个警告",
    "notes": "{n} 条提示",
    "nothing": "没有发现问题",
    "looked": "{passes}，{steps}",
    "passes": "{n} 次反向传播",
    "steps": "优化器更新 {n} 步",
    "summary": "{script}：{counts}（{looked}）",
    "between": "，",
    "line": "第 {line} 行",
    "line_of": "{file} 第 {line} 行",
    "nowhere": "-",
    "comma": "、",
    "more": "{names} 等 {total} 个",
    "mend": "改法",
    "book": "见",
    "fine": "正常",
    "got": "{total} 个参数里，{n} 个得到了梯度",
    "frozen": "{total} 个参数里冻结了 {n} 个，其余 {others} 个中有 {got} 个得到了梯度",
    "finite": "损失、梯度和参数里都没有 nan 和 inf",
    "moved": "优化器更新了 {total} 个参数中的 {n} 个",
    "cleared": "每一步用的都是新算的梯度",
    "layers": "层",
    "gradient": "梯度",
    "update": "更新",
    "columns": "（梯度：范数的中位数；更新：一步的改变量与权重范数之比）",
    "stop": "",
    # what the command says besides
    "began": "从优化器的第 {step} 步看起。",
    "never_step": "没有到第 {first} 步：脚本里的优化器一共更新了 {steps} 步。",
    "never_error": "脚本没有出错。",
}

ADVICE = {
    **failures.ADVICE,
    "nan-in-forward": ("通往损失的路上，第一个 {what} 出自 `{source}`，它的输入都是有限的数。",),
    "nan-in-backward": (
        "损失是有限的；`{source}` 的反向（`{node}`）最先算出 {what}，在{pass}的反向传播里。",
    ),
    "nan-in-data": ("`{tensor}` 进来时就已经含有 {what}。",),
    "nan-after-step": ("`{tensor}` 原来是有限的，`{optimizer}` 更新之后含有 {what}。",),
    "steps-skipped": (
        "GradScaler 在 {steps} 步里跳过了 {skipped} 步：梯度里有 inf 或 nan。放大的倍数第一步是"
        " {first}，最后一步是 {last}。",
    ),
    "never-cleared": (
        "`{optimizer}` 的 {steps} 步，用的都是从头累加到现在的梯度：两步之间没有清零"
        "（{names}），{pass}又往上加。",
        "手动更新了 {updates} 次，用的都是从头累加到现在的梯度：{names} 的 `.grad` 一直没有清零。",
    ),
    "empty-step": (
        "`{optimizer}` 更新了 {steps} 步，一个梯度也没拿到；{pass}算出过梯度。",
        "这些梯度在{cleared}被清掉了。",
    ),
    "stepped-twice": ("有 {times} 次，这一步用的还是{first}那一步用过的梯度：中间没有反向传播。",),
    "optimizer-holds-old": (
        "`{optimizer}` 手里的 {names} 已经不在模型里：优化器建好以后它们被换掉了，新的不会更新。",
    ),
    "clip-without-gradient": (
        "裁剪了 {times} 次，每次都是上一步之后还没有新的梯度：梯度要到{pass}才算出来。",
    ),
    "clip-before-unscale": ("裁剪了 {times} 次，那时梯度还乘着放大倍数；{step}才把倍数除掉。",),
    "schedule-before-step": ("优化器还没更新过，学习率调度器就先走了一步。",),
    "learning-rate-zero": ("`{optimizer}` 的 {steps} 步，学习率都是 0。",),
    "stands-still": ("{names}：{steps} 步里都有梯度（lr = {lr}），却一个数也没有变（{dtype}）。",),
    "update-too-large": (
        "每一步都让权重变动自身范数的 {ratio} 倍（{steps} 步的中位数，lr = {lr}）：{names}。"
        "通常是 0.001 左右。",
    ),
    "update-too-small": (
        "每一步只让权重变动自身范数的 {ratio} 倍（lr = {lr}）：{names}。"
        "小于 1e-7 时，float32 大多会舍入掉。",
    ),
    "loss-grows": ("{passes} 次反向传播，损失一次比一次大，从 {first} 到 {last}。",),
    "loss-is-leaf": (
        "反向传播从 `{loss}` 开始，而它是叶子：一个没有计算图的新张量，梯度到不了别处。",
    ),
    "never-stepped": (
        "梯度算出来又清零，一共 {times} 次，`{optimizer}` 却一步也没有更新：{names} 一直不变。",
    ),
    "no-backward": ("`{optimizer}` 更新了 {steps} 步，却没有反向传播：它一个梯度也没拿到。",),
    "clip-nothing": ("裁剪没有收到任何参数：这个生成器已经用完了。",),
    "hook-needs-tensor": ("模块返回的既不是张量，也不是张量的元组，它的反向钩子不会被调用。",),
    "parameter-detached": ("`{source}` 把 {names} 切断了，梯度不会从这里往回走。",),
    "parameter-unused": ("没有任何运算用到 {names}。",),
    "parameter-off-path": (
        "{names} 用到了，但没有一次反向传播从它算出的结果开始。",
        "{left}的 `{source}` 把它带出了计算图。",
        "由它算出的东西，到{ended}的 `{source}` 为止。",
    ),
    "not-in-optimizer": ("{names} 得到了梯度，却没有交给任何优化器。",),
    "zero-gradient": ("{names} 的梯度在 {passes} 次反向传播里全是 0。",),
    "dead-relu": (
        "`{source}` 的 {units} 个单元里，{dead} 个对整批数据都输出 0（看了 {calls} 次），"
        "梯度过不去。",
    ),
    "vanishing": (
        "从 `{last}` 往回到 `{first}`，经过 {layers} 层，每个元素的梯度从 {near_loss} 降到"
        " {near_input}。",
    ),
    "exploding": (
        "从 `{last}` 往回到 `{first}`，经过 {layers} 层，每个元素的梯度从 {near_loss} 涨到"
        " {near_input}。",
    ),
    "softmax-before-loss": (
        "`{loss}` 要的是 logits，收到的却是{made}的 `{activation}` 的输出：softmax 做了两次，"
        "梯度会变小。",
    ),
    "no-log-before-nll": ("`{loss}` 要的是对数概率，不会大于 0；这里有大于 0 的数。",),
    "sigmoid-before-loss": ("`{loss}` 要的是 logits，收到的却是{made}的 `{activation}` 的输出。",),
    "target-broadcast": (
        "`{loss}` 的两个输入形状是 {input} 和 {target}，会互相广播：每个预测和所有目标都比了一遍。",
    ),
    "eval-left-on": ("`{module}` 开始时在训练模式，最近 {steps} 次训练却一直在评估模式。",),
    "graph-grows": (
        "每次反向传播都要再走一遍以前的计算图：第一次 {first} 个节点，第 {passes} 次 {last} 个。",
    ),
    "running-loss": (
        "`{name}` 把 {times} 个损失连同计算图加在一起，却没有从它开始反向传播：内存会一直涨。",
    ),
    "hook-never-called": (
        "{names} 上的钩子 `{fn}` 注册之后有 {passes} 次反向传播，一次也没有调用它。",
    ),
    "hook-sees-no-input": ("模块的输入都不需要梯度，完整反向钩子拿不到 `grad_input`。",),
    "old-hook": ("这种旧的反向钩子，`grad_input` 可能是错的。",),
    "grad-of-non-leaf": ("读的是计算出来的张量的 `.grad`，反向传播之后它也是 None。",),
    "grad-of-parametrized": (
        "这个权重是层用别的参数计算出来的，不是叶子，它的 `.grad` 是 None。"
        "梯度在 {names} 的 `.grad` 里。",
    ),
    "copied-tensor": ("`torch.tensor(张量)` 得到的副本没有计算图。",),
    "checkpoint-without-grad": ("激活检查点的输入都不需要梯度，里面的参数得不到梯度。",),
    "hook-changed": (
        "`{name}` 上的钩子 `{fn}` 改了 {times} 次梯度，第一次范数从 {before} 变成 {after}。",
    ),
    "moves-without-gradient": (
        "`{optimizer}` 更新时，{names} 的梯度是 0，值却变了：那是动量或权重衰减。",
    ),
    "clipped-hard": (
        "{times} 步里，每一步裁剪都把梯度缩小了很多（倍数的中位数 {factor}）：步长不再随损失变化。",
    ),
    "two-optimizers": ("{names} 同时交给了几个优化器：{optimizers}。",),
    "bias-without-effect": (
        "BatchNorm 会减去每个通道的均值，{names} 加上去的又被减掉了：除了舍入误差，梯度是 0。",
    ),
    "retained-for-nothing": (
        "{passes} 次反向传播都用了 `retain_graph=True`，之后却没有再走这些图。",
    ),
    "frozen": ("{names}：不需要梯度（已冻结）。",),
    "shared": ("`{name}` 有几个模块在用（{names}），各处的梯度会加在一起。",),
}

MEND = {
    **failures.MEND,
    "nan-in-forward": "看看输入：`log(0)`、`0 / 0`、负数的 `sqrt`、很大的数的 `exp`",
    "nan-in-backward": "避开导数为无穷的输入（0 处的 `sqrt`、`norm`）；要遮的是输入，不是结果",
    "nan-in-data": "检查数据：`assert x.isfinite().all()`",
    "nan-after-step": "调小学习率，或检查优化器的设置（`eps`、`betas`）",
    "steps-skipped": "倍数降下来之前，跳过几步是正常的；一直跳过，就查前向传播里"
    "哪里出了 inf 或 nan，或者改用 bfloat16",
    "never-cleared": "每更新一步，调用一次 `optimizer.zero_grad()`",
    "empty-step": "按这个次序：`zero_grad()`、`backward()`、`step()`",
    "stepped-twice": "两步只留一步；`scaler.step(optimizer)` 自己会更新",
    "optimizer-holds-old": "模型改完以后再建优化器",
    "clip-without-gradient": "在 `backward()` 之后、`step()` 之前裁剪",
    "clip-before-unscale": "裁剪之前先调用 `scaler.unscale_(optimizer)`",
    "schedule-before-step": "先 `optimizer.step()`，再 `scheduler.step()`",
    "learning-rate-zero": "检查 `lr` 和学习率调度",
    "stands-still": "更新量被舍入掉了：权重用 float32 保存，或调大学习率",
    "update-too-large": "调小学习率",
    "update-too-small": "调大学习率",
    "loss-grows": "调小学习率，或检查损失的正负号",
    "loss-is-leaf": "对由参数算出的张量调用 `backward()`；重新包装（`Variable`、"
    "`torch.tensor`、`requires_grad_()`）不会带来计算图",
    "never-stepped": "`backward()` 之后调用 `optimizer.step()`，看看是不是漏了括号",
    "no-backward": "`step()` 之前调用 `loss.backward()`",
    "clip-nothing": "每次都重新调用 `model.parameters()`，或存成列表",
    "hook-needs-tensor": "返回张量或元组，或把钩子注册到输出的张量上",
    "parameter-detached": "如果它们要学习，去掉这里的切断",
    "parameter-unused": "在 `forward` 里用上它，或从模型里去掉",
    "parameter-off-path": "让损失由它算出来，中间不经过 NumPy、`argmax`，也不另建张量",
    "not-in-optimizer": "交给优化器，或用 `requires_grad_(False)` 冻结；放在普通列表里的模块不在"
    " `parameters()` 里，要用 `nn.ModuleList`",
    "zero-gradient": "看看它和损失之间有没有死掉的 ReLU、`clamp`，或乘以 0",
    "dead-relu": "调小学习率，检查偏置，或改用 `LeakyReLU`",
    "vanishing": "用 ReLU 代替 sigmoid 或 tanh，加残差连接或归一化",
    "exploding": "减小初始权重，加归一化，或裁剪梯度",
    "softmax-before-loss": "直接传 logits，去掉这个激活函数",
    "no-log-before-nll": "对 logits 用 `F.cross_entropy`，或先做 `log_softmax`",
    "sigmoid-before-loss": "直接传 logits，去掉这个激活函数",
    "target-broadcast": "让两者形状相同：`target.view_as(output)`",
    "eval-left-on": "每次评估之后调用 `model.train()`",
    "graph-grows": "把一次迭代交给下一次的张量 `detach()`",
    "running-loss": "累加 `loss.item()` 或 `loss.detach()`",
    "hook-never-called": "检查这个张量或模块在不在从损失往回的路上",
    "hook-sees-no-input": "把钩子挂到后面的模块，或它的输出张量上",
    "old-hook": "改用 `register_full_backward_hook`",
    "grad-of-non-leaf": "反向传播之前对它调用 `retain_grad()`",
    "grad-of-parametrized": "读这些参数的 `.grad`；每次访问都重新计算的权重，"
    "`retain_grad()` 没有用",
    "copied-tensor": "直接用它，或 `tensor.clone()`；不需要梯度就 `detach()`",
    "checkpoint-without-grad": "传 `use_reentrant=False`",
    "hook-changed": "",
    "moves-without-gradient": "要冻结它，就把 `.grad` 设为 None，或不交给优化器",
    "clipped-hard": "放宽裁剪的上限，或查清梯度为什么这么大",
    "two-optimizers": "每个参数只交给一个优化器，除非是有意的",
    "bias-without-effect": "BatchNorm 前面的那一层传 `bias=False`",
    "retained-for-nothing": "去掉 `retain_graph=True`，它会占着内存",
    "frozen": "",
    "shared": "",
}
