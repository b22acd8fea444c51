import torch


def f(w):
    y = w**2
    print(f"the shape of y: {tuple(y.shape)}")
    return y.sum()


w = torch.tensor([1.0, 2.0], requires_grad=True)

found = torch._dynamo.explain(f)(w)
print(f"graphs: {found.graph_count}")
print(f"breaks: {found.graph_break_count}")
place = found.break_reasons[0].user_stack[-1]
print(f"where: line {place.lineno}, {place.line}")

torch.compiler.reset()
whole = torch.compile(f, backend="eager", fullgraph=True)
try:
    whole(w)
except torch._dynamo.exc.Unsupported as error:
    print(f"fullgraph: {str(error).splitlines()[0]}")
