"""What the source says on a line that was measured: the calls that a person wrote there.

Facts come from the run, and one line of a run is often one call into a library. Whether the person
wrote what costs time, and so can change it, only the source tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.gates import share_of_step, silent

SOMETIMES = 0.2
"""Runs per step from which on a line counts as part of the step: in one step of five."""


def place_of(facts: Facts, key: LineKey) -> source.Place | None:
    """The innermost statement on the line; None where the source is not known."""
    parsed = source.parse(facts.profile.sources.get(key[0], ""))
    return parsed.place_at(key[1]) if parsed else None


def places_of(facts: Facts, key: LineKey) -> tuple[source.Place, ...]:
    """All statements on the line, as in ``if x.item() > 3: break``, the outermost first."""
    parsed = source.parse(facts.profile.sources.get(key[0], ""))
    return parsed.places_at(key[1]) if parsed else ()


def calls_on(facts: Facts, key: LineKey) -> list[ast.Call]:
    """The calls of the statement on the line, without those in its body."""
    place = place_of(facts, key)
    if place is None:
        return []
    return [call for part in source.header(place.statement) for call in source.calls(part)]


def called(calls: Iterable[ast.Call]) -> set[str]:
    """Their dotted names."""
    return {source.dotted_name(call.func) for call in calls}


def lines_of_step(facts: Facts) -> Iterator[LineCost]:
    """The lines that run in the step itself, not while a loader is asked for a batch."""
    for line in facts.profile.lines:
        loading = line.wait_ms.data or 0.0
        if line.calls >= SOMETIMES and loading <= 0.5 * line.host_ms:
            yield line


@dataclass(frozen=True, slots=True)
class Spent:
    """What a call that a person wrote takes of each step on the host, without waiting for a device.

    ``ms`` per step; ``in_words`` is ``3.0 ms of 30.0 ms (10 %)``.
    """

    line: LineCost
    ms: float
    share: float
    in_words: str

    @property
    def evidence(self) -> dict[str, float | int | str]:
        """The same as a finding carries it."""
        return {"spent_ms": self.ms, "share": self.share, "per_step": self.line.calls}


def time_spent(rule: str, facts: Facts, line: LineCost, least: float) -> Spent | None:
    """None, with a word in the log, where it is less than ``least`` of the step."""
    spent = max(0.0, line.host_ms - (line.wait_ms.sync or 0.0))
    share = share_of_step(facts, spent)
    if share < least:
        silent(rule, f"takes {share:.3f} of the step on line {line.line}")
        return None
    step = facts.profile.step_ms.median
    words = f"{fmt.duration(spent)} of {fmt.duration(step)} ({fmt.share(share)})"
    return Spent(line, spent, share, words)


def loading_lines(facts: Facts) -> Iterator[tuple[LineCost, float]]:
    """(line, ms per step or batch) of the person's code that makes batches, wherever it runs.

    In workers ms per batch; without workers ms per step.
    """
    for line in facts.profile.lines:
        loading = line.wait_ms.data or 0.0
        if line.worker_ms is not None:
            yield line, line.worker_ms
        elif loading > 0.5 * line.host_ms:
            yield line, loading


def runs_in(line: LineCost, code: tuple[str, str]) -> bool:
    """Whether the line is part of the function (file, name), or of one defined in it."""
    file, name = code
    inside = line.function == name or line.function.startswith(f"{name}.<locals>.")
    return line.file == file and inside


FACTORIES = frozenset(
    f"torch.{name}"
    for name in ("zeros", "ones", "full", "arange", "linspace", "eye", "rand", "randn", "randint")
)
"""Functions that make a tensor and take ``device=``."""


def copied_factories(calls: Iterable[ast.Call]) -> list[tuple[ast.Call, ast.Call]]:
    """(factory, copy) for each ``torch.zeros(...).to(device)`` or ``.cuda()``.

    Only where what ``to`` is given looks like a device: it takes dtypes and tensors, too.
    """
    found = []
    for copy in calls:
        func = copy.func
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
            continue
        factory = func.value
        if source.dotted_name(factory.func) not in FACTORIES or _has_device(factory):
            continue
        if func.attr == "cuda" or (func.attr == "to" and copy.args and is_device(copy.args[0])):
            found.append((factory, copy))
    return found


def is_device(node: ast.expr) -> bool:
    """Whether the expression looks like a device: ``"cuda"``, ``device``, ``x.device``."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.Call):
        return source.dotted_name(node.func) == "torch.device"
    return "dev" in source.dotted_name(node).rpartition(".")[2].lower()


def _has_device(call: ast.Call) -> bool:
    return any(keyword.arg in ("device", None) for keyword in call.keywords)


HOST_TYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}
"""Names of types that mean memory of the host, and the dtype of each."""


def host_types(calls: Iterable[ast.Call]) -> list[tuple[ast.Call, ast.expr, str]]:
    """(call, its argument, dtype) for each ``x.type(torch.LongTensor)``, also as a string."""
    found = []
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "type":
            continue
        if len(call.args) != 1 or call.keywords:
            continue
        given = call.args[0]
        name = source.dotted_name(given)
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            name = given.value
        module, _, kind = name.rpartition(".")
        if module == "torch" and kind in HOST_TYPES:
            found.append((call, given, HOST_TYPES[kind]))
    return found


def needless_clone(place: source.Place) -> ast.Call | None:
    """The ``x.clone()`` in ``y = x.clone()`` if the scope changes neither x nor y in place.

    What may change a name, or let something else do so: a method that ends in ``_``, an item or an
    augmented assignment, ``out=``, returning or keeping it, a second name for it. The names must be
    plain, and every other use of y be an operand or an argument of a function of torch.
    """
    statement = place.statement
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, call = statement.targets[0], statement.value
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return None
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "clone":
        return None
    if not isinstance(func.value, ast.Name) or not isinstance(target, ast.Name):
        return None
    scope = next((p for p in reversed(place.parents) if isinstance(p, _SCOPES)), None)
    if scope is None or target.id == func.value.id:
        return None
    copy_read_only = _only_read(scope, target.id, statement)
    original_read_only = _only_read(scope, func.value.id, statement)
    return call if copy_read_only and original_read_only else None


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)
_READERS = (ast.BinOp, ast.UnaryOp, ast.Compare)


def _only_read(scope: ast.AST, name: str, but: ast.stmt) -> bool:
    """Whether each use of the name in the scope, apart from ``but``, only reads it."""
    above: dict[int, ast.AST] = {}
    for node in ast.walk(scope):
        for child in ast.iter_child_nodes(node):
            above[id(child)] = node
    skipped = {id(node) for node in ast.walk(but)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and node.id == name and id(node) not in skipped:
            parent = above[id(node)]
            if isinstance(node.ctx, ast.Store):
                if not isinstance(parent, (ast.Assign, ast.For, ast.Tuple)):
                    return False
            elif not _reads(node, parent, above):
                return False
    return True


def _reads(node: ast.AST, parent: ast.AST, above: dict[int, ast.AST]) -> bool:
    if isinstance(parent, _READERS):
        return True
    if isinstance(parent, ast.Attribute):
        call = above[id(parent)]
        method = isinstance(call, ast.Call) and call.func is parent
        return method and parent.attr in _READING_METHODS
    if isinstance(parent, ast.Call) and node in parent.args:
        return source.dotted_name(parent.func).startswith(("torch.", "F.", "nn.functional."))
    return False


_READING_METHODS = frozenset(
    ("sum", "mean", "std", "var", "norm", "max", "min", "abs", "exp", "log", "relu", "sigmoid")
) | frozenset(("tanh", "softmax", "matmul", "mm", "bmm", "pow", "sqrt", "item", "size", "dim"))
"""They give a new tensor or a number, never a view of the old one."""


LOGGING = frozenset(
    ("print", "debug", "info", "warning", "log", "write", "add_scalar", "add_scalars")
) | frozenset(("set_postfix", "set_postfix_str", "set_description", "log_metric", "log_metrics"))
"""Functions whose result nobody uses and whose reader does not need every step."""

_SAVING = frozenset(
    ("torch.save", "np.save", "numpy.save", "np.savez", "numpy.savez", "pickle.dump", "json.dump")
)
_SAVING_METHODS = frozenset(
    ("savefig", "to_csv", "to_parquet", "save_pretrained", "save_checkpoint", "add_histogram")
) | frozenset(("add_image", "save_image"))


def logs(facts: Facts, key: LineKey) -> bool:
    """Whether the line is a statement that only writes a log."""
    place = place_of(facts, key)
    if place is None or not isinstance(place.statement, ast.Expr):
        return False
    value = place.statement.value
    name = source.dotted_name(value.func) if isinstance(value, ast.Call) else ""
    # math.log and torch.log are used for their result, and so stand in no statement of their own.
    return name.rpartition(".")[2] in LOGGING


def saves(facts: Facts, key: LineKey) -> bool:
    """Whether the line writes a file."""
    names = called(calls_on(facts, key))
    return bool(names & _SAVING) or any(
        "." in name and name.rpartition(".")[2] in _SAVING_METHODS for name in names
    )


def empties_cache(facts: Facts, key: LineKey) -> bool:
    """Whether the line gives the allocator's cache back to the driver."""
    return any(name.rpartition(".")[2] == "empty_cache" for name in called(calls_on(facts, key)))


def collects_garbage(facts: Facts, key: LineKey) -> bool:
    """Whether the line has Python collect garbage."""
    return "gc.collect" in called(calls_on(facts, key))
