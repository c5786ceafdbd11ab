"""ddp: DistributedDataParallel, whose reducer works in C++, outside the operators that can be recorded.

When gradients are averaged and buffers broadcast is decided by PyTorch's own forward pass, which runs as it is; in the
reducer's place is one in Python.  Buckets change the order of communication, not what is computed: each has one parameter.
"""
import functools

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.nn.parallel import DistributedDataParallel

WRAPPED = {"_checkpoint_wrapped_module", "_orig_mod"}    # what checkpoint_wrapper and torch.compile call the module inside
BUFFERS = "buffers"                                      # mark of a broadcast by a forward pass
FORWARD = DistributedDataParallel.forward


def prepare():
    """What torch.compile made runs as it was written."""
    torch._dynamo.config.error_on_nested_fx_trace = False


def modules(model):
    return [(path, m) for path, m in model.named_modules() if isinstance(m, DistributedDataParallel)]


def names(model):
    """[(path, module)], the wrappers left out: the module inside has the name that it has without them."""
    inside = {f"{path}.module".lstrip(".") for path, _ in modules(model)}
    for path, module in model.named_modules():
        parts = path.split(".")
        yield ".".join(p for k, p in enumerate(parts)
                       if p not in WRAPPED and ".".join(parts[:k + 1]) not in inside), module


def reduced(model):
    """Parameters whose gradients they average."""
    return [p for _, m in modules(model) for p in m.module.parameters() if p.requires_grad]


def refuse(model):
    for _, m in modules(model):
        if m.mixed_precision:
            raise ValueError("DistributedDataParallel with mixed_precision cannot be captured: reduce the gradients in the "
                             "step")
        if m._delay_all_reduce_params or hasattr(m, "buffer_hook"):
            raise ValueError("DistributedDataParallel with delayed reductions or a hook for buffers cannot be captured: "
                             "reduce the gradients, and broadcast the buffers, in the step")


class Bucket:
    """The gradient of one parameter, as a hook sees it (torch.distributed.GradBucket)."""

    def __init__(self, index, last, parameter, gradient):
        self._index, self._last, self._parameter = index, last, parameter
        self._flat = gradient.reshape(-1).clone()

    def index(self):
        return self._index

    def is_last(self):
        return self._last

    def buffer(self):
        return self._flat

    def set_buffer(self, flat):
        self._flat = flat

    def gradients(self):
        return [self._flat.view_as(self._parameter)]

    def parameters(self):
        return [self._parameter]


def by_hook(model, index, parameter, gradient):
    hook, state = model._comm_hooks[-1]
    result = hook(state, Bucket(index, index == 0, parameter, gradient))     # gradients are ready from the last one on
    if not hasattr(result, "wait"):
        raise ValueError(f"the communication hook {getattr(hook, '__name__', hook)} returns no Future")
    return lambda: result.wait().view_as(parameter)


def reached(outputs):
    """Nodes of autograd behind the outputs of a forward pass."""
    seen, todo = set(), [x.grad_fn for x in outputs]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [before for before, _ in node.next_functions]
    return seen


class Reducer:
    """What torch.distributed.Reducer does; PyTorch calls it by the same methods.

    A forward pass that is to be followed by a reduction says so (prepare_for_backward). Gradients are sent as they become
    ready, whichever backward pass makes them, and take the place of the local ones as the pass ends in which the last one
    does.  Gradients that nobody waits for stay local.
    """

    def __init__(self, model, names):
        self.model, self.parameters = model, model._build_params_for_reducer()[0]
        self.names = [names[id(p)] for p in self.parameters]
        self.nodes = [torch.autograd.graph.get_gradient_edge(p).node for p in self.parameters]
        for k, node in enumerate(self.nodes):            # after all hooks of the parameter
            node.register_hook(functools.partial(self.accumulated, k))
        self.group = tuple(dist.get_process_group_ranks(model.process_group))
        self.waits, self.sent, self.unused, self.used = False, {}, [], set()
        self.untouched = []                              # [(name, ranks)]: gradients that no rank may have

    def prepare_for_forward(self):
        pass

    def _rebuild_buckets(self):
        """Before a forward pass."""
        self.check()
        return False

    def check(self):
        missing = [name for k, name in enumerate(self.names) if k not in self.sent]
        if self.sent and missing:
            raise ValueError(f"DistributedDataParallel waits for the gradient of '{missing[0]}', which the backward pass does "
                             f"not make, and PyTorch stops at the next forward pass: give find_unused_parameters=True, or "
                             f"let all parameters take part in the loss")

    def prepare_for_backward(self, outputs):
        self.waits, self.sent, self.unused = True, {}, []
        self.model._static_graph_delay_allreduce_enqueued = False
        if self.model.find_unused_parameters and not self.model.static_graph:
            nodes = reached(outputs)
            self.unused = [k for k, node in enumerate(self.nodes) if node not in nodes]

    def accumulated(self, k, *_):
        """The gradient of parameter k is there; if the part of the output behind it is not used, there is none."""
        if self.parameters[k].grad is not None:
            self.used.add(k)                             # in a pass without reduction, too
        if self.waits and not self.model.static_graph:
            for other in () if self.sent else self.unused:
                self.ready(other)
            self.ready(k)
            if len(self.sent) == len(self.parameters):
                torch.autograd.Variable._execution_engine.queue_callback(self.finish)

    def _delay_all_reduce(self):
        """At the end of a backward pass with static_graph=True."""
        if not self.waits:
            raise ValueError("no_sync() in the first steps of DistributedDataParallel(static_graph=True) means something else "
                             "than later on: give static_graph=False")
        for k in range(len(self.parameters)):
            self.ready(k)
        self.finish()

    def ready(self, k):
        if k in self.sent:
            raise ValueError(f"the gradient of '{self.names[k]}' is complete twice in a backward pass, which "
                             f"DistributedDataParallel refuses: use checkpoint with use_reentrant=False, and each output of "
                             f"a forward pass in one backward pass only")
        self.sent[k] = self.reduced(k, self.parameters[k])

    def reduced(self, k, p):
        """A function that waits for what the gradient becomes; None: no rank has one, and it stays as it is."""
        if (self.model.find_unused_parameters or self.model.static_graph) and k not in self.used:
            self.untouched.append((self.names[k], self.group))
            return None
        gradient = torch.zeros_like(p) if p.grad is None else p.grad
        if self.model._comm_hooks:
            return by_hook(self.model, k, p, gradient)
        gradient = funcol.all_reduce(gradient / len(self.group), "sum", self.model.process_group)
        return lambda: gradient

    @torch.no_grad()
    def finish(self):
        for k, wait in self.sent.items():
            p = self.parameters[k]
            if wait is not None:
                p.grad = wait() if p.grad is None else p.grad.copy_(wait())
        self.waits, self.sent, self.used = False, {}, set()


def broadcast(model, where, buffers, _size, root=0):
    """Of all buffers, from one rank."""
    with where.marked(BUFFERS):
        for x in buffers if dist.get_world_size(model.process_group) > 1 else ():
            dist.broadcast(getattr(x, "_local_tensor", x), group=model.process_group, group_src=root)


def alike(model):
    """{id of a buffer: ranks}: those that are the same on all ranks from the beginning, since they were broadcast then."""
    return {id(x): tuple(dist.get_process_group_ranks(m.process_group)) for _, m in modules(model) if m.broadcast_buffers
            for name, x in m.module.named_buffers() if name not in m.parameters_to_ignore}


def settle(graph, same, origin):
    """Takes out broadcasts of buffers by a forward pass that nobody has changed: `same`, inputs that ranks have in common."""
    marked = [n for n in graph.graph.nodes if n.meta.get("tvr", {}).get(BUFFERS)]
    for n in marked:
        before = origin(n.args[0]) if "_c10d_functional.broadcast" in str(n.target) else None
        if before in same:
            for user in list(n.users):                   # wait_tensor
                user.replace_all_uses_with(before)
                graph.graph.erase_node(user)
            graph.graph.erase_node(n)
    for n in graph.graph.nodes:
        n.meta.get("tvr", {}).pop(BUFFERS, None)


def forward(model, *inputs, **kwargs):
    if not isinstance(model.reducer, Reducer):
        raise ValueError("a DistributedDataParallel that is no part of the model cannot be captured: make it in "
                         "`parallelize`, and return it or the model that it is a part of")
    return FORWARD(model, *inputs, **kwargs)


def follow(model, where):
    """The reducers are those of the parameters that are there now; wrappers elsewhere than in the model are an error."""
    DistributedDataParallel.forward = forward
    path = {id(p): f"{prefix}.{key}".lstrip(".") for prefix, m in names(model) for key, p in m._parameters.items()}
    for _, m in modules(model):
        for hook in m._accum_grad_hooks:                 # of optimize_ddp="python_reducer"
            hook.remove()
        m._use_python_reducer = False
        m._module_parameters = [p for name, p in m.module.named_parameters() if name not in m.parameters_to_ignore]
        m._distributed_broadcast_coalesced = functools.partial(broadcast, m, where)
        m.reducer = Reducer(m, path)


def finished(model):
    """[(name, ranks)]: parameters that no reduction has touched."""
    for _, m in modules(model):
        m.reducer.check()
    return [one for _, m in modules(model) for one in m.reducer.untouched]
