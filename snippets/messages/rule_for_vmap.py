import torch


class Triple(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return 3 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 3 * grad_output


class WithRule(Triple):
    generate_vmap_rule = True


x = torch.tensor([1.0, 2.0])
try:
    torch.func.vmap(Triple.apply)(x)
except RuntimeError as error:
    print("Triple:", str(error).split(" For more")[0])
print("WithRule:", torch.func.vmap(WithRule.apply)(x))
print("its gradients:", torch.func.vmap(torch.func.grad(WithRule.apply))(x))
