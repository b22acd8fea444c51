"""Short scripts, each of which does something that a recorder could disturb."""

COPIED = """
    import copy, functools, inspect, io, pickle
    class Keeps(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.seen = nn.Linear(2, 2), []
            self.layer.register_forward_hook(self.after)
            self.layer.register_forward_pre_hook(self.before)
            self.layer.register_full_backward_hook(self.backward)
            self.layer.register_full_backward_pre_hook(functools.partial(self.backward, "pre"))
        def before(self, _, x):
            self.seen.append("before")
        def after(self, _, x, y):
            self.seen.append("after")
        def backward(self, *_):
            self.seen.append("backward")
        def forward(self, x):
            return self.layer(x)
    original = Keeps()
    def pickled(net):
        file = io.BytesIO()
        torch.save(net, file)
        file.seek(0)
        return torch.load(file, weights_only=False)
    averaged = torch.optim.swa_utils.AveragedModel(original)
    copies = [
        copy.deepcopy(original), pickle.loads(pickle.dumps(original)), pickled(original),
        averaged.module, copy.deepcopy(copy.deepcopy(original)),
    ]
    for net in copies:
        net(torch.ones(1, 2)).sum().backward()
        print(net.seen, original.seen)
    original(torch.ones(1, 2)).sum().backward()
    print(original.seen)
    averaged.update_parameters(original)
    hook = next(iter(copies[0].layer._forward_hooks.values()))
    print(hook == copies[0].after, hook.__self__ is copies[0])
"""

SCRIPTS = {
    "copied_hooks": COPIED,
    "hooks_themselves": """
        import functools, inspect
        def forward(module, args, output, *, scale=2):
            return output * scale
        def pre(module, args):
            print("pre")
        def backward(module, grad_input, grad_output):
            print("backward", grad_output[0].shape)
        class Hook:
            def __call__(self, *things):
                print("called", len(things))
        net, w = nn.Linear(2, 2), torch.ones(2, requires_grad=True)
        hook, lam = Hook(), lambda grad: grad * 2
        part = functools.partial(forward, scale=3)
        handles = [
            net.register_forward_hook(forward), net.register_forward_hook(part),
            net.register_forward_pre_hook(pre), net.register_full_backward_hook(backward),
            net.register_full_backward_pre_hook(hook), w.register_hook(lam),
            w.register_post_accumulate_grad_hook(hook),
            nn.modules.module.register_module_forward_hook(hook),
        ]
        opt = torch.optim.SGD([w, *net.parameters()], lr=0.1)
        handles += [opt.register_step_pre_hook(hook), opt.register_step_post_hook(hook)]
        def contents():
            for table, expected in (
                (net._forward_hooks, [forward, part]), (net._forward_pre_hooks, [pre]),
                (net._backward_hooks, [backward]), (net._backward_pre_hooks, [hook]),
                (w._backward_hooks, [lam]), (w._post_accumulate_grad_hooks, [hook]),
                (nn.modules.module._global_forward_hooks, [hook]),
                (opt._optimizer_step_pre_hooks, [hook]), (opt._optimizer_step_post_hooks, [hook]),
            ):
                print(len(table), all(a is b for a, b in zip(table.values(), expected)))
                print([str(inspect.signature(each)) for each in table.values()])
        contents()
        for step in range(3):
            (net(w) * w).sum().backward()
            opt.step()
            contents()
            handles[step].remove()
            handles[-1 - step].remove()
        net.register_forward_hook(lambda *a, **k: print(sorted(k)), with_kwargs=True)
        net.register_forward_pre_hook(lambda *a: print("first"), prepend=True)
        net.register_forward_hook(lambda *a: print("always"), always_call=True)
        print(net(input=w), [*net._forward_hooks] == sorted(net._forward_hooks))
        try:
            net(torch.ones(3))
        except RuntimeError as error:
            print(error)
    """,
    "hook_that_removes_itself": """
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        def once(module, args, output):
            handle.remove()
            print("once", len(module._forward_hooks))
        handle = net[0].register_forward_hook(once)
        def again(module, args, output):
            if module.training:
                module.eval()
                print("inner", module(args[0] * 0).shape)
        net[1].register_forward_hook(again)
        w = torch.ones(2, requires_grad=True)
        grad_handle = w.register_hook(lambda grad: grad_handle.remove())
        for _ in range(2):
            (net(w) * w).sum().backward()
            print(len(w._backward_hooks), w.grad)
    """,
    "spawned": """
        import torch.multiprocessing as mp
        class Keeps(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.seen = nn.Linear(2, 2), 0
                self.layer.register_forward_hook(self.after)
            def after(self, *_):
                self.seen += 1
            def forward(self, x):
                return self.layer(x)
        def work(rank, net, queue):
            net(torch.ones(1, 2)).sum().backward()
            queue.put((net.seen, net.layer.weight.grad.sum().item()))
        if __name__ == "__main__":
            net = Keeps()
            net(torch.ones(1, 2)).sum().backward()
            queue = mp.get_context("spawn").SimpleQueue()
            mp.spawn(work, (net, queue), nprocs=1)
            print(queue.get(), net.seen)
    """,
    "jit": """
        import warnings
        warnings.simplefilter("ignore")
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)
            def forward(self, x):
                return torch.relu(self.layer(x)).sum()
            def twice(self, x):
                return self.layer(x) * 2
        net, x = Net(), torch.ones(2, 4)
        net(x).backward()
        traced = torch.jit.trace(net, x)
        traced(x).backward()
        print(traced.graph, traced.code)
        both = torch.jit.trace_module(net, {"forward": x, "twice": x})
        print(both.twice(x).sum())
        scripted = torch.jit.script(net)
        scripted(x).backward()
        frozen = torch.jit.freeze(torch.jit.script(Net().eval()))
        print(frozen(x), frozen.graph)
        function = torch.jit.trace(lambda a, b: a * b + a.shape[0], (x, x))
        print(function.graph, function(x, x).sum())
        @torch.jit.script
        def clipped(x, most: float):
            return x.clamp(max=most)
        w = torch.ones(3, requires_grad=True)
        clipped(w * 2, 1.5).sum().backward()
        print(w.grad, torch.jit.optimize_for_inference(frozen)(x))
    """,
    "fx": """
        from torch import fx
        net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
        net(torch.ones(1, 2)).sum().backward()
        traced = fx.symbolic_trace(net)
        print(traced.code, traced.graph)
        traced(torch.ones(1, 2)).sum().backward()
        class Every(fx.Tracer):
            record_stack_traces = True
            def is_leaf_module(self, module, name):
                return False
        graph = Every().trace(net)
        print(graph, [node.stack_trace for node in graph.nodes])
        class Printed(fx.Interpreter):
            def run_node(self, node):
                print(node.op, node.target)
                return super().run_node(node)
        Printed(traced).run(torch.ones(1, 2)).sum().backward()
    """,
    "make_fx": """
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.func import functionalize, grad
        w = torch.ones(3, requires_grad=True)
        f = lambda x: (x.sin() * x).sum()
        f(w).backward()
        for mode in ("real", "fake", "symbolic"):
            print(make_fx(grad(f), tracing_mode=mode)(torch.ones(3)).code)
        print(make_fx(f, pre_dispatch=True)(torch.ones(3)).code)
        print(make_fx(functionalize(lambda x: x.clone().mul_(2)))(torch.ones(3)).code)
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        print(make_fx(net)(torch.ones(9, 2)).code)
        net(torch.ones(1, 2)).sum().backward()
    """,
    "export": """
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        opt = torch.optim.SGD(net.parameters(), 0.1)
        for strict in (False, True):
            program = torch.export.export(net, (torch.randn(2, 4),), strict=strict)
            print(program)
            print(program.module()(torch.ones(2, 4)).sum())
        batch = torch.export.Dim("batch")
        program = torch.export.export(net, (torch.randn(3, 4),), dynamic_shapes=({0: batch},))
        print(program.run_decompositions())
        for _ in range(3):
            loss = net(torch.randn(8, 4)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            print(loss.item())
        print(torch.export.export(net, (torch.randn(2, 4),)))
    """,
    "aot": """
        from functorch.compile import aot_function, nop
        def printed(graph, inputs):
            print(graph.code)
            return graph.forward
        def f(x, y):
            return (x.sin() * y).sum()
        a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        f(a, b).backward()
        aot_function(f, printed, printed)(a, b).backward()
        print(a.grad, b.grad)
        print(torch._dynamo.export(f)(a, b).graph_module.code)
        print(torch._dynamo.explain(f)(a, b).graph_count)
    """,
    "compiled": """
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            model = torch.compile(net, backend=backend)
            opt = torch.optim.Adam(model.parameters())
            for _ in range(3):
                opt.zero_grad()
                model(torch.randn(2, 4)).pow(2).sum().backward()
                opt.step()
        print(net[0].weight.sum().item())
    """,
    "transforms": """
        from torch.func import functional_call, grad, hessian, jacrev, jvp, linearize, vjp, vmap
        from torch.func import stack_module_state
        net = nn.Linear(3, 1)
        parameters = dict(net.named_parameters())
        loss = lambda p, x: functional_call(net, p, (x,)).pow(2).sum()
        loss(parameters, torch.ones(2, 3)).backward()
        x = torch.randn(4, 3)
        print(vmap(grad(loss), (None, 0))(parameters, x))
        print(hessian(loss)(parameters, x)["weight"]["weight"].sum())
        print(jacrev(loss)(parameters, x), jvp(torch.sin, (x,), (x,)), vjp(torch.cos, x)[1](x))
        print(linearize(torch.exp, x)[1](x))
        p, b = stack_module_state([nn.Linear(3, 1), nn.Linear(3, 1)])
        print(vmap(lambda p, b: functional_call(net, (p, b), (x,)))(p, b).shape)
        g = vmap(grad(lambda w: (w ** 3).sum()))(parameters["weight"])
        (g * parameters["weight"]).sum().backward()
    """,
    "own_modes": """
        from torch.overrides import TorchFunctionMode
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.utils.flop_counter import FlopCounterMode
        class Ops(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                print(func)
                return func(*args, **(kwargs or {}))
        class Calls(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                print(getattr(func, "__name__", func))
                return func(*args, **(kwargs or {}))
        net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
        for mode in (Ops(), Calls()):
            with mode:
                net(torch.ones(9, 2)).sum().backward()
        opt = torch.optim.SGD(net.parameters(), 0.1)
        with Ops():
            opt.step()
        with FlopCounterMode(display=False) as flops:
            net(torch.ones(3, 2)).sum().backward()
        print(flops.get_total_flops())
        with FakeTensorMode():
            fake = nn.Sequential(nn.Linear(2, 40), nn.ReLU(), nn.Linear(40, 1))
            other = torch.optim.SGD(fake.parameters(), 0.1)
            fake(torch.ones(9, 2)).sum().backward()
            other.step()
            print(fake[0].weight.grad.shape)
        del fake
    """,
    "own_tensors": """
        from torch.utils._pytree import tree_map
        class Told(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                print(getattr(func, "__name__", func))
                return super().__torch_function__(func, types, args, kwargs or {})
        class Wrapped(torch.Tensor):
            @staticmethod
            def __new__(cls, inner):
                return torch.Tensor._make_wrapper_subclass(
                    cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
                )
            def __init__(self, inner):
                self.inner = inner
            def __repr__(self):
                return "Wrapped"
            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                print(func)
                open_ = lambda t: t.inner if isinstance(t, Wrapped) else t
                out = func(*tree_map(open_, args), **tree_map(open_, kwargs or {}))
                return tree_map(lambda t: Wrapped(t) if isinstance(t, torch.Tensor) else t, out)
        w = nn.Parameter(Wrapped(torch.ones(9, 2)))
        torch.relu(w * 2).sum().backward()
        opt = torch.optim.SGD([w], 0.1)
        opt.step()
        opt.zero_grad()
        x = torch.ones(9, 2).as_subclass(Told)
        v = torch.ones(2, requires_grad=True)
        torch.relu(x * v).sum().backward()
        class Unknown:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                print("unknown", func.__name__)
                return 3
        print(torch.add(Unknown(), v), torch.relu(Unknown()), v.grad)
    """,
    "profiled": """
        from torch.profiler import ProfilerActivity, profile, record_function
        net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
        opt = torch.optim.SGD(net.parameters(), 0.1)
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as found:
            with record_function("mine"):
                net(torch.ones(9, 2)).sum().backward()
                opt.step()
        print(sorted((each.key, each.count) for each in found.key_averages()))
        with torch.autograd.profiler.profile() as old:
            net(torch.ones(9, 2)).sum().backward()
        print(sorted((each.key, each.count) for each in old.key_averages()))
        with torch.autograd.detect_anomaly(check_nan=True):
            net(torch.ones(9, 2)).sum().backward()
    """,
    "checkpoints": """
        from torch.utils.checkpoint import checkpoint, checkpoint_sequential
        blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(2)
        )
        opt = torch.optim.SGD(blocks.parameters(), 0.1)
        for reentrant in (True, False):
            for step in range(3):
                x = torch.randn(2, 3, 8, requires_grad=True)
                for block in blocks:
                    x = checkpoint(block, x, use_reentrant=reentrant)
                loss = x.pow(2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                print(step, loss.item())
        layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(6)), nn.Dropout(0.5))
        x = torch.ones(2, 4, requires_grad=True)
        for reentrant in (True, False):
            for keep in (True, False):
                kept = {"use_reentrant": reentrant, "preserve_rng_state": keep}
                checkpoint_sequential(layers, 3, x, **kept).sum().backward()
                print(x.grad.sum().item())
        def inner(x):
            return checkpoint(layers[:2], x, use_reentrant=True).sin()
        def outer(x):
            return checkpoint(inner, x, use_reentrant=True).cos()
        checkpoint(outer, x, use_reentrant=True).sum().backward()
        for check in ("default", "none"):
            checkpoint(layers, x, use_reentrant=False, determinism_check=check).sum().backward()
        print(x.grad.sum().item(), torch.rand(1).item())
    """,
    "passes_in_passes": """
        class Inner(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, depth):
                ctx.depth = depth
                ctx.save_for_backward(x)
                with torch.enable_grad():
                    ctx.x = x.detach().requires_grad_()
                    y = ctx.x.sin() if not depth else Inner.apply(ctx.x, depth - 1)
                    ctx.y = y * 2
                return ctx.y.detach()
            @staticmethod
            def backward(ctx, grad):
                ctx.y.backward(grad)
                with torch.enable_grad():
                    (again,) = torch.autograd.grad((ctx.x * grad).sum(), ctx.x)
                return ctx.x.grad + again, None
        w = nn.Parameter(torch.tensor([1.0, 2.0]))
        opt = torch.optim.SGD([w], 0.1)
        for depth in (0, 2, 1):
            opt.zero_grad()
            sum(Inner.apply(w * k, depth).sum() for k in range(12)).backward()
            opt.step()
            print(w)
        (g,) = torch.autograd.grad(w.pow(3).sum(), w, create_graph=True)
        v = torch.ones(2, requires_grad=True)
        def add_another(grad):
            with torch.enable_grad():
                return grad + torch.autograd.grad(v.exp().sum(), v)[0]
        w.register_hook(add_another)
        g.sum().backward()
    """,
}
