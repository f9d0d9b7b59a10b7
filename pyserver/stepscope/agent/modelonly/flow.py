"""Which layer an argument of forward reaches first, and what happens to it on the way.

The source of each forward is followed statement by statement, through the model's own modules and
methods. What cannot be followed is left out: a trial decides in the end.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from .reach import Reach, note_axes, note_parts

_MOVES = {"transpose", "permute", "movedim", "moveaxis", "t", "swapaxes", "swapdims"}
_RESHAPES = {"view", "reshape", "flatten", "unsqueeze", "unfold", "repeat", "expand", "squeeze"}
_INTEGERS = {"long", "int"}
_ENDS = {"size", "dim", "numel", "item", "tolist", "nelement", "stride", "is_floating_point"}
_DEPTH = 12


class _Found(Exception):
    """The leaf is known."""


class Flow:
    """Follows arguments through modules. ``torch`` is the target's."""

    def __init__(self, torch: Any) -> None:
        self._nn = torch.nn
        nn = torch.nn
        self.known = (
            nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d,
            nn.ConvTranspose3d, nn.Linear, nn.Bilinear, nn.Embedding, nn.EmbeddingBag, nn.RNNBase,
            nn.RNNCellBase, nn.LayerNorm, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d,
            nn.GroupNorm, nn.MultiheadAttention, nn.LazyLinear, nn.LazyConv2d, nn.InstanceNorm2d,
        )  # fmt: skip

    def reach(self, module: Any, parameter: str, key: str | int | None = None) -> Reach:
        """Follow ``parameter`` of the module's forward, or only its element ``key``."""
        found = Reach()
        try:
            self._function(module, type(module).forward, parameter, found, 0, key)
        except _Found:
            pass
        except RecursionError:
            return Reach()
        if key is None:
            note_parts(_parsed(type(module).forward), parameter, found)
        return found

    def _module(
        self, module: Any, position: int | str, found: Reach, depth: int, key: Any = None
    ) -> None:
        nn = self._nn
        if depth > _DEPTH:
            return
        if isinstance(module, self.known):
            found.leaf = module
            raise _Found
        if isinstance(module, nn.Sequential):
            for child in module:
                self._module(child, 0, found, depth + 1)
            return
        if isinstance(module, (nn.Flatten, nn.Unflatten)):
            found.reshaped = True
            return
        name = type(module).__name__
        pattern = getattr(module, "pattern", None)
        if name in ("Rearrange", "Reduce") and isinstance(pattern, str):
            note_axes(pattern, found)
            return
        if type(module).__module__.startswith("torch.nn."):
            inner = [m for m in module.modules() if isinstance(m, nn.MultiheadAttention)]
            if inner:
                found.leaf = inner[0]
                raise _Found
            return  # an activation, a pool, a dropout: whatever comes in goes on
        names = _parameters(type(module).forward)
        name = position if isinstance(position, str) else _at(names, position)
        if name:
            self._function(module, type(module).forward, name, found, depth + 1, key)

    def _function(
        self, module: Any, function: Any, name: str, found: Reach, depth: int, key: Any = None
    ) -> None:
        node = _parsed(function)
        if node is None or depth > _DEPTH:
            return
        _Walk(self, module, function, name, found, depth, key).block(node.body)


class _Walk:
    """One function body, statement by statement."""

    def __init__(
        self, flow: Flow, module: Any, function: Any, name: str, found: Reach, depth: int, key: Any
    ) -> None:
        self.flow = flow
        self.module = module
        self.globals = getattr(inspect.unwrap(function), "__globals__", {})
        # Names of the argument itself, or of a container of which only ``key`` is followed.
        self.carriers = {name} if key is None else set()
        self.boxes = set() if key is None else {name}
        self.key = key
        self.found = found
        self.depth = depth
        self.modules: dict[str, Any] = {}  # local names of modules

    # -- statements ----------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self.assign(node.targets, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            if node.value is not None:
                carried = self.carries(node.value)
                if isinstance(node, ast.AugAssign):
                    self._note_added(node.target, node.value)
                    carried |= self.carries(node.target)
                self._mark(node.target, carried)
        elif isinstance(node, (ast.Return, ast.Expr)):
            if node.value is not None:
                self.carries(node.value)
        elif isinstance(node, ast.For):
            self.loop(node.target, node.iter)
            self.block(node.body)
        elif isinstance(node, ast.If):
            self.carries(node.test)
            self.block(node.body)
            self.block(node.orelse)
        elif isinstance(node, (ast.With, ast.While, ast.Try)):
            self.block(node.body)
        elif isinstance(node, ast.Assert):
            self._note_rank(node.test)

    def assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        for target in targets:
            if isinstance(target, ast.Tuple) and self._is_shape(value):
                self._rank(len(target.elts))
        resolved = self.object(value)
        if resolved is not None and len(targets) == 1 and isinstance(targets[0], ast.Name):
            self.modules[targets[0].id] = resolved
            return
        if isinstance(value, ast.Tuple) and len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            for one, its in zip(targets[0].elts, value.elts, strict=False):
                self._mark(one, self.carries(its))
            return
        if isinstance(value, ast.Name) and value.id in self.boxes:
            self._unpack_box(targets)
            return
        carried = self.carries(value)
        for target in targets:
            whole = isinstance(value, ast.Name) and value.id in self.carriers
            if carried and whole and isinstance(target, ast.Tuple):
                self.found.items = self.found.items or len(target.elts)
            self._mark(target, carried)

    def _unpack_box(self, targets: list[ast.expr]) -> None:
        for target in targets:
            if isinstance(target, ast.Name):
                self.boxes.add(target.id)
            elif isinstance(target, ast.Tuple):
                for index, part in enumerate(target.elts):
                    self._mark(part, index == self.key)

    def _in_box(self, node: ast.expr, key: object) -> bool:
        return isinstance(node, ast.Name) and node.id in self.boxes and key == self.key

    def _mark(self, target: ast.expr, carried: bool) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._mark(part, carried)
        elif isinstance(target, ast.Name):
            (self.carriers.add if carried else self.carriers.discard)(target.id)

    def loop(self, target: ast.expr, iterated: ast.expr) -> None:
        """Bind the loop's names to the first element of what is looped over."""
        if isinstance(iterated, ast.Call):
            name = iterated.func.id if isinstance(iterated.func, ast.Name) else ""
            if name == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                self.loop(target.elts[1], iterated.args[0])
                return
            if name == "zip" and isinstance(target, ast.Tuple):
                for one, its in zip(target.elts, iterated.args, strict=False):
                    self.loop(one, its)
                return
            if name in ("reversed", "list"):
                self.loop(target, iterated.args[0])
                return
        first = _first(self.object(iterated))
        if isinstance(target, ast.Tuple) and isinstance(first, self.flow._nn.ModuleList):
            for one, child in zip(target.elts, first, strict=False):
                if isinstance(one, ast.Name):
                    self.modules[one.id] = child
        elif isinstance(target, ast.Name) and first is not None:
            self.modules[target.id] = first
        else:
            whole = isinstance(iterated, ast.Name) and iterated.id in self.carriers
            self.found.in_list |= whole and not self.found.reshaped
            self._mark(target, self.carries(iterated))

    # -- expressions ---------------------------------------------------------------------------

    def carries(self, node: ast.expr | None) -> bool:
        """Whether the value is the argument or made of it. Raises ``_Found`` at the first leaf."""
        if node is None:
            return False
        if isinstance(node, ast.Name):
            return node.id in self.carriers
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute):
            if self._in_box(node.value, node.attr):
                return True
            inner = self.carries(node.value)
            if inner and isinstance(node.value, ast.Name):
                if node.attr in ("T", "mT", "H"):
                    self.found.moved = True
                    return True
                if node.attr not in ("shape", "device", "dtype", "ndim", "requires_grad", "data",
                                     "is_cuda", "layout"):  # fmt: skip
                    if node.attr not in self.found.attributes:
                        self.found.attributes.append(node.attr)
                    return True
            return inner and node.attr not in ("shape", "device", "dtype", "ndim")
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.BinOp):
            left, right = self.carries(node.left), self.carries(node.right)
            if left != right:
                other = node.right if left else node.left
                if isinstance(node.op, ast.MatMult):
                    self._multiplied(other)
                else:
                    self._note_added(node.left if left else node.right, other)
            return left or right
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._any(node.elts)
        if isinstance(node, ast.IfExp):
            return self._any([node.body, node.orelse])
        if isinstance(node, (ast.UnaryOp,)):
            return self.carries(node.operand) and not isinstance(node.op, ast.Not)
        if isinstance(node, ast.BoolOp):
            return self._any(node.values)
        if isinstance(node, ast.Compare):
            self.carries(node.left)
            return False
        if isinstance(node, ast.Starred):
            return self.carries(node.value)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            for generator in node.generators:
                self.loop(generator.target, generator.iter)
            return self.carries(node.elt)
        if isinstance(node, ast.NamedExpr):
            carried = self.carries(node.value)
            self._mark(node.target, carried)
            return carried
        return False

    def _any(self, nodes: list[ast.expr]) -> bool:
        """Whether one of them does; each is looked at, since each may lead to a layer."""
        carried = [self.carries(node) for node in nodes]
        return any(carried)

    def call(self, node: ast.Call) -> bool:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else (
            function.id if isinstance(function, ast.Name) else "")  # fmt: skip
        module = self.object(function)
        if (
            module is None
            and isinstance(function, ast.Attribute)
            and not _is_self(function.value)
            and self.object(function.value) is None
            and self.carries(function.value)
        ):
            return self.method(name, node)
        arguments: list[tuple[int | str, ast.expr]] = list(enumerate(node.args))
        arguments += [(word.arg or "", word.value) for word in node.keywords]
        got = node.args[0] if name == "get" and node.args else None
        if isinstance(got, ast.Constant) and isinstance(function, ast.Attribute):
            carried_key = self._in_box(function.value, got.value)
            if carried_key:
                return True
        boxed = [p for p, a in arguments if isinstance(a, ast.Name) and a.id in self.boxes]
        carried = boxed or [place for place, argument in arguments if self.carries(argument)]
        key = self.key if boxed else None
        if not carried:
            return False
        if isinstance(module, self.flow._nn.Module):
            self.flow._module(module, carried[0], self.found, self.depth, key)
            return not boxed
        if isinstance(function, ast.Attribute) and _is_self(function.value):
            method = getattr(type(self.module), name, None)
            names = _parameters(method) if method is not None else []
            inner = carried[0] if isinstance(carried[0], str) else _at(names, carried[0])
            if inner:
                self.flow._function(self.module, method, inner, self.found, self.depth + 1, key)
            return not boxed
        if boxed:
            return False
        return self.plain_function(name, node, carried)

    def plain_function(self, name: str, node: ast.Call, carried: list[int | str]) -> bool:
        if name in ("rearrange", "reduce", "repeat", "einsum") and len(node.args) > 1:
            pattern = node.args[1] if name != "einsum" else node.args[0]
            if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
                text = pattern.value
                if name == "einsum":
                    parts = text.split("->")[0].split(",")
                    place = carried[0] if isinstance(carried[0], int) else 1
                    self._rank(len(_at(parts, place - 1).strip()))
                    for other in node.args[1:]:
                        self._multiplied(other)
                else:
                    note_axes(text, self.found)
        elif name in ("one_hot", "embedding"):
            self.found.integers = True
            raise _Found
        elif name in ("linear", "matmul", "mm", "bmm", "conv2d", "conv1d"):
            for place, other in enumerate(node.args):
                if place not in carried:
                    self._multiplied(other)
        elif name in ("cat", "concat", "stack", "hstack"):
            self.found.joined = True
        elif name in ("flatten", "unfold"):
            self.found.reshaped = True
        elif name in ("transpose", "permute"):
            self.found.moved = True
        elif name in ("len", "isinstance", "print", "range", "type", "id", "getattr", "hasattr"):
            self.found.in_list |= name == "len" and not self.found.reshaped
            return False
        else:
            helper = self.globals.get(name)
            if inspect.isfunction(helper) and isinstance(carried[0], int):
                names = _parameters(helper, skip_self=False)
                inner = _at(names, carried[0])
                if inner and _is_local(helper, self.module):
                    self.flow._function(self.module, helper, inner, self.found, self.depth + 1)
        return True

    def method(self, name: str, node: ast.Call) -> bool:
        if name in _ENDS:
            return False
        if name in ("get", "items", "keys", "values"):
            return False  # of a dictionary: its keys are noted once for the whole forward
        self.found.moved |= name in _MOVES
        self.found.reshaped |= name in _RESHAPES
        if name == "permute" and self.found.rank is None and not self.found.reshaped:
            self._rank(len(node.args))
        if name in _INTEGERS:
            self.found.integers = True
        for argument in node.args:
            if name in ("matmul", "mm", "bmm"):
                self._multiplied(argument)
        return True

    def subscript(self, node: ast.Subscript) -> bool:
        key = node.slice
        if isinstance(key, ast.Constant) and self._in_box(node.value, key.value):
            return True
        if isinstance(node.value, ast.Name) and node.value.id in self.carriers:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                if key.value not in self.found.keys:
                    self.found.keys.append(key.value)
            elif isinstance(key, ast.Constant) and isinstance(key.value, int):
                self.found.items = max(self.found.items or 0, abs(key.value) + (key.value >= 0))
            elif isinstance(key, ast.Tuple):
                count = sum(1 for part in key.elts if not _is_none(part))
                if not any(isinstance(p, ast.Constant) and p.value is Ellipsis for p in key.elts):
                    self._at_least(count)
            return True
        if self.carries(key) and not isinstance(key, (ast.Slice, ast.Tuple)):
            self.found.integers = True
            table = self.object(node.value)
            self._weight(table)
            raise _Found
        return self.carries(node.value)

    # -- what is learned -----------------------------------------------------------------------

    def object(self, node: ast.expr) -> Any:
        """The module, parameter or list of modules that the expression names; None if none."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id)
        if isinstance(node, ast.Attribute):
            if _is_self(node.value):
                return _held(self.module, node.attr)
            holder = self.object(node.value)
            return None if holder is None else _held(holder, node.attr)
        if isinstance(node, ast.Subscript):
            holder = self.object(node.value)
            if isinstance(holder, (self.flow._nn.ModuleList, self.flow._nn.Sequential, list)):
                return _first(holder)
            if isinstance(holder, self.flow._nn.ModuleDict):
                return next(iter(holder.values()), None)
        return None

    def _multiplied(self, node: ast.expr) -> None:
        self._weight(self.object(node))
        if self.found.weight:
            raise _Found

    def _weight(self, held: Any) -> None:
        shape = getattr(held, "shape", None)
        if shape is not None and len(shape) >= 2 and not self.found.weight:
            self.found.weight = tuple(int(size) for size in shape)

    def _note_added(self, carrier: ast.expr, other: ast.expr) -> None:
        held = self.object(other.value if isinstance(other, ast.Subscript) else other)
        shape = getattr(held, "shape", None)
        if self.carries(carrier) and shape is not None and len(shape) >= 2:
            self.found.added = self.found.added or tuple(int(size) for size in shape)

    def _is_shape(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func if node.func.attr == "size" and not node.args else node
        return (
            isinstance(node, ast.Attribute)
            and node.attr in ("shape", "size")
            and isinstance(node.value, ast.Name)
            and node.value.id in self.carriers
        )

    def _note_rank(self, test: ast.expr) -> None:
        if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
            left = ast.unparse(test.left)
            value = test.comparators[0].value
            for name in self.carriers:
                asked = (f"{name}.dim()", f"{name}.ndim", f"len({name}.shape)")
                if left in asked and isinstance(value, int) and isinstance(test.ops[0], ast.Eq):
                    self._rank(value)

    def _rank(self, rank: int) -> None:
        if not (self.found.rank or self.found.moved or self.found.reshaped):
            self.found.rank = rank

    def _at_least(self, rank: int) -> None:
        if rank > 2:
            self._rank(rank)


def _held(holder: Any, name: str) -> Any:
    """A module's own module, parameter or buffer. No property of the user's runs."""
    for table in ("_modules", "_parameters", "_buffers"):
        held = vars(holder).get(table, {}) if hasattr(holder, "__dict__") else {}
        if name in held:
            return held[name]
    plain = vars(holder).get(name) if hasattr(holder, "__dict__") else None
    return plain if isinstance(plain, list) or hasattr(plain, "forward") else None


def _first(holder: Any) -> Any:
    try:
        return next(iter(holder), None) if holder is not None else None
    except TypeError:
        return None


def _parsed(function: Any) -> ast.FunctionDef | None:
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        node = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, IndexError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def _parameters(function: Any, *, skip_self: bool = True) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[1:] if skip_self and names[:1] == ["self"] else names


def _at(names: list[str], place: int) -> str:
    return names[place] if 0 <= place < len(names) else ""


def _is_local(function: Any, module: Any) -> bool:
    return getattr(function, "__module__", "") == type(module).__module__


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
