"""The loops of a file whose passes may be steps: training, evaluation, generation.

A guess from the source alone, for offering a choice; which loop really makes the steps is found
when the file runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_Loop = (ast.For, ast.AsyncFor, ast.While)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
# What also has a step() and trains nothing: schedulers, environments, profilers, progress bars.
_NO_OPTIMIZER = re.compile(r"sched|env|prof|lr|simul|bar|timer", re.IGNORECASE)
_WITHOUT_GRAD = frozenset({"no_grad", "inference_mode"})
_MODEL_NAME = re.compile(r"(^|_)(model|net|network|module|policy|actor|critic|encoder|decoder)$")
_INFERENCE_NAME = re.compile(r"eval|valid|test|infer|predict|generat|sampl|decode", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StepLoop:
    """One loop. ``function`` is the qualified name around it, empty at the top level."""

    line: int
    header: str
    function: str


@dataclass(slots=True)
class _Scope:
    """One function body, or the file's own."""

    name: str
    loops: list[_LoopNode] = field(default_factory=list)
    signs: bool = False  # a step or a backward pass outside every loop of the function
    calls: bool = False  # a model outside every loop of the function
    called: set[str] = field(default_factory=set)  # the file's functions, called outside its loops


@dataclass(slots=True, eq=False)
class _LoopNode:
    node: ast.For | ast.AsyncFor | ast.While
    scope: _Scope
    parent: _LoopNode | None
    without_grad: bool
    steps: bool = False
    backward: bool = False
    model: bool = False
    called: set[str] = field(default_factory=set)


def all_loops(tree: ast.Module, lines: list[str]) -> list[StepLoop]:
    """Every loop of the file, in the order of its lines."""
    return [_step_loop(loop, lines) for loop in _sorted(_Reader().read(tree))]


def step_loops(tree: ast.Module, lines: list[str]) -> list[StepLoop]:
    """The loops worth offering: those that train, and those that run a model without gradients."""
    scopes = _Reader().read(tree)
    training, running = _reaching(scopes)
    loops = _sorted(scopes)
    chosen: list[_LoopNode] = []
    for loop in loops:
        if loop.steps or (loop.backward and not _stepped_around(loop)) or loop.called & training:
            chosen.append(loop)
    # Of nested training loops the innermost one that holds all of a step is the step's.
    outer = {up for loop in chosen for up in _ancestors(loop) if not up.steps}
    chosen = [loop for loop in chosen if loop not in outer]
    taken = {part for loop in chosen for part in (loop, *_ancestors(loop))}
    for loop in loops:
        inside = any(up in chosen for up in _ancestors(loop))
        if loop in taken or inside or not (loop.model or loop.called & running):
            continue
        if loop.without_grad or _INFERENCE_NAME.search(loop.scope.name):
            chosen.append(loop)
    return [_step_loop(loop, lines) for loop in sorted(chosen, key=lambda loop: loop.node.lineno)]


def _step_loop(loop: _LoopNode, lines: list[str]) -> StepLoop:
    line = loop.node.lineno
    header = lines[line - 1].strip() if line <= len(lines) else ""
    return StepLoop(line, header, loop.scope.name)


def _sorted(scopes: list[_Scope]) -> list[_LoopNode]:
    return sorted((loop for scope in scopes for loop in scope.loops), key=lambda it: it.node.lineno)


def _ancestors(loop: _LoopNode) -> Iterator[_LoopNode]:
    while (up := loop.parent) is not None:
        yield up
        loop = up


def _stepped_around(loop: _LoopNode) -> bool:
    return any(up.steps for up in _ancestors(loop))


def _reaching(scopes: list[_Scope]) -> tuple[set[str], set[str]]:
    """Names of functions that make (part of) a step each time, and of those that run a model."""
    training: set[str] = set()
    running: set[str] = set()
    while True:
        before = len(training) + len(running)
        for scope in scopes:
            short = scope.name.rpartition(".")[2]
            if short and (scope.signs or scope.called & training):
                training.add(short)
            if short and (scope.calls or scope.called & running):
                running.add(short)
        if len(training) + len(running) == before:
            return training, running


class _Reader:
    """Walks a file once and sorts calls into the loops and functions around them."""

    def read(self, tree: ast.Module) -> list[_Scope]:
        self.scopes: list[_Scope] = []
        self.models = _module_names(tree)
        scope = _Scope("")
        self.scopes.append(scope)
        for statement in tree.body:
            self._visit(statement, scope, None, without_grad=False)
        return self.scopes

    def _visit(
        self, node: ast.AST, scope: _Scope, loop: _LoopNode | None, *, without_grad: bool
    ) -> None:
        if isinstance(node, _Function):
            quiet = any(_is_without_grad(decorator) for decorator in node.decorator_list)
            scope = _Scope(_join(scope.name, node.name))
            self.scopes.append(scope)
            loop, without_grad = None, quiet
        elif isinstance(node, ast.ClassDef):
            prefix = _Scope(_join(scope.name, node.name))
            for statement in node.body:
                self._visit(statement, prefix, None, without_grad=False)
            return
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            without_grad = without_grad or any(
                _is_without_grad(item.context_expr) for item in node.items
            )
        elif isinstance(node, _Loop):
            loop = _LoopNode(node, scope, loop, without_grad)
            scope.loops.append(loop)
        elif isinstance(node, ast.Call):
            self._call(node, scope, loop)
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope, loop, without_grad=without_grad)

    def _call(self, call: ast.Call, scope: _Scope, loop: _LoopNode | None) -> None:
        name, owner = _name(call.func)
        if name == "backward" or (name == "grad" and "autograd" in owner):
            if loop is None:
                scope.signs = True
            else:
                loop.backward = True
        elif name == "step" and owner and not _NO_OPTIMIZER.search(owner):
            if loop is None:
                scope.signs = True
            else:
                loop.steps = True
        elif name in self.models or _MODEL_NAME.search(name):
            if loop is None:
                scope.calls = True
            else:
                loop.model = True
        elif name and owner in ("", "self", "cls"):
            (scope if loop is None else loop).called.add(name)


def _join(around: str, name: str) -> str:
    return f"{around}.{name}" if around else name


def _name(function: ast.expr) -> tuple[str, str]:
    """(last name, what stands before it) of a called expression."""
    if isinstance(function, ast.Name):
        return function.id, ""
    if isinstance(function, ast.Attribute):
        return function.attr, ast.unparse(function.value)
    return "", ""


def _is_without_grad(expression: ast.expr) -> bool:
    if isinstance(expression, ast.Call):
        expression = expression.func
    return _name(expression)[0] in _WITHOUT_GRAD


def _module_names(tree: ast.Module) -> set[str]:
    """Variables that hold an instance of one of the file's module classes or of ``nn``'s."""
    classes = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any("Module" in ast.unparse(b) for b in node.bases)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(
            isinstance(part, ast.Call)
            and (_name(part.func)[0] in classes or _name(part.func)[1] in ("nn", "torch.nn"))
            for part in ast.walk(node.value)
        ):
            names |= {_name(target)[0] for target in node.targets}
    return names - {""}
