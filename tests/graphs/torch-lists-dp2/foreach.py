import torch
import torch.distributed as dist

RATE, DECAY, FIRST, SECOND, EPS, STEPS, MOST = 0.1, 0.01, 0.9, 0.99, 1e-6, (3.0, 5.0), 0.01


def gradients(ws, x):
    return torch.autograd.grad(torch.tanh(x @ ws[0] + ws[1]).square().mean(), ws)


def step(w, b, m0, m1, v0, v1, x):
    """AdamW with clipping, parameter by parameter; each has done its own number of steps."""
    grads, new = gradients((w, b), x), {}
    norm = torch.stack([g.square().sum() for g in grads]).sum().sqrt()
    for k, (p, g, m, v, t) in enumerate(zip((w, b), grads, (m0, m1), (v0, v1), STEPS)):
        g = g * torch.clamp(MOST / (norm + EPS), max=1.0)
        m, v = m + (1 - FIRST) * (g - m), SECOND * v + (1 - SECOND) * g * g
        p = p.detach() * (1 - RATE * DECAY)
        p = p - RATE / (1 - FIRST**t) * m / (v.sqrt() / (1 - SECOND**t) ** 0.5 + EPS)
        new |= {f"p{k}": p, f"m{k}": m, f"v{k}": v, f"top{k}": v.clamp(min=0.5).neg().exp()}
    return new


def step_lists(w, b, m0, m1, v0, v1, x, wrong=None):
    """The same over lists, of gradients that two devices have averaged."""
    ps, ms, vs = [w.detach(), b.detach()], [m0, m1], [v0, v1]
    gs = [g.clone() for g in gradients((w, b), x)]
    for g in gs:
        dist.all_reduce(g)
    gs = torch._foreach_div(gs, 2.0)
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gs)))
    if wrong != "not-clipped":
        torch._foreach_mul_(gs, torch.clamp(MOST / (norm + EPS), max=1.0))
    ms = torch._foreach_lerp(ms, gs, 1 - FIRST)
    vs = torch._foreach_addcmul(torch._foreach_mul(vs, SECOND), gs, gs, 1 - SECOND)
    roots = torch._foreach_add(torch._foreach_div(torch._foreach_sqrt(vs), [(1 - SECOND**t) ** 0.5 for t in STEPS]), EPS)
    of = reversed(STEPS) if wrong == "steps-of-the-other" else STEPS
    ps = torch._foreach_addcdiv(torch._foreach_mul(ps, 1 - RATE * DECAY), ms, roots, [-RATE / (1 - FIRST**t) for t in of])
    tops = torch._foreach_exp(torch._foreach_neg(torch._foreach_maximum(vs, 0.5)))
    return {f"{n}{k}": xs[k] for n, xs in (("p", ps), ("m", ms), ("v", vs), ("top", tops)) for k in range(2)}
