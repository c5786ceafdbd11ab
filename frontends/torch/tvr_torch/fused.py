"""fused: optimizers with `fused=True` call one operator for all parameters; what it does, written with plain operators.

One step for one parameter is a function here, as PyTorch's documentation of the optimizer states it; the step count is
that of this step. Scaled gradients (`grad_scale`, `found_inf`) are left to the operator, which is unknown.
"""
import torch


def adam(decoupled):
    def step(p, g, m, v, most, count, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize):
        g = -g if maximize else g
        if decoupled:
            p.mul_(1 - lr * weight_decay)
        elif weight_decay:
            g = g + weight_decay * p
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        if amsgrad:
            v = most.copy_(torch.maximum(most, v))
        count = count.double()
        scale = (v / (1 - beta2 ** count)).sqrt() + eps
        p.sub_(lr * (m / (1 - beta1 ** count)) / scale)

    return step


def sgd(p, g, buffer, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step):
    g = -g if maximize else g
    if weight_decay:
        g = g + weight_decay * p
    if momentum:
        buffer.copy_(g if is_first_step else momentum * buffer + (1 - dampening) * g)
        g = g + momentum * buffer if nesterov else buffer
    p.sub_(lr * g)


def adagrad(p, g, total, count, lr, lr_decay, weight_decay, eps, maximize):
    g = -g if maximize else g
    if weight_decay:
        g = g + weight_decay * p
    total.addcmul_(g, g)
    p.sub_(lr / (1 + (count.double() - 1) * lr_decay) * g / (total.sqrt() + eps))


def each(step):
    """The operator: lists of tensors (some of them empty), then numbers by name."""
    def run(*lists, grad_scale=None, found_inf=None, **numbers):
        if grad_scale is not None or found_inf is not None:
            return NotImplemented
        for k in range(len(lists[0])):
            step(*[x[k] if x else None for x in lists], **numbers)

    return run


def table():
    steps = {"_fused_adam_": adam(False), "_fused_adamw_": adam(True), "_fused_sgd_": sgd, "_fused_adagrad_": adagrad}
    packets = {getattr(torch.ops.aten, name): each(step) for name, step in steps.items()}
    return {getattr(op, overload): run for op, run in packets.items() for overload in op.overloads() if overload != "out"}
