"""Calls of a model that somebody wrote down: a smoke test, a docstring, a README, a test function.

Nothing of it is run. The expressions are put together until they need only torch and what the file
itself defines; a call that needs more (arguments, data, another file) is passed over.
"""

from __future__ import annotations

import ast
import builtins
import glob
import os
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .classes import main_part, top_level

BATCH = "__BATCH__"
"""Stands in an expression for the number of samples."""

_BLOCK = re.compile(r"^([ \t]*)```[ \t]*([^\n`]*)\n(.*?)^\1```", re.S | re.M)
_PLACING = {"to", "cuda", "cpu", "eval", "train", "float", "half", "double", "requires_grad_"}
_SHAPED = {"randn", "rand", "ones", "zeros", "empty"}
_LIBRARY = {"torch", "nn", "F", "math", "partial", "functools"}
_SAFE_BUILTINS = {
    "list", "dict", "tuple", "set", "range", "int", "float", "bool", "str", "len", "max", "min",
    "sum", "abs", "round", "zip", "enumerate", "sorted", "reversed", "True", "False", "None",
}  # fmt: skip
_MOST_READ = 400_000  # characters of a README or test


@dataclass(frozen=True)
class Usage:
    """A constructor, and the arguments of its call if there was one. ``source`` says where."""

    constructor: str | None
    args: tuple[str, ...]
    kwargs: tuple[tuple[str, str], ...]
    called: bool
    source: str
    batch: int | None = None  # what `BATCH` was


def documented(
    tree: ast.Module, path: str, name: str, factories: Iterable[str], known: set[str]
) -> list[Usage]:
    """Usages of the class ``name``, the most trusted first.

    ``factories`` are functions of the file that make it, ``known`` the names that the file defines.
    """
    makers = {name, *factories}
    found: list[Usage] = []
    for source, statements in _places(tree, path, name):
        for usage in _read(statements, makers, known, source):
            if usage not in found:
                found.append(usage)
    # One that shows the call as well is worth more than one that only constructs.
    return sorted(found, key=lambda usage: not usage.called)


def _places(tree: ast.Module, path: str, name: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    functions = {node.name: node for node in top_level(tree) if isinstance(node, ast.FunctionDef)}
    guard = main_part(tree)
    if guard:
        called = {
            call.func.id
            for statement in guard
            for call in ast.walk(statement)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        inner = [functions[other] for other in sorted(called & functions.keys())]
        yield "the file's `__main__` part", [*guard, *_bodies(inner)]
    module_level: list[ast.stmt] = [
        node for node in tree.body if isinstance(node, (ast.Assign, ast.Expr))
    ]
    yield "the file itself", module_level
    tests = [node for key, node in functions.items() if key.startswith(("test", "_test", "demo"))]
    for test in tests:
        yield f"{test.name}() in the file", test.body
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            parts: list[ast.ClassDef | ast.FunctionDef] = [node, *methods]
            for part in parts:
                yield f"the docstring of {name}", _docstring(ast.get_docstring(part))
    yield "the file's docstring", _docstring(ast.get_docstring(tree))
    for file in _neighbours(path):
        text = _text(file)
        if name not in text:
            continue
        if file.endswith(".py"):
            parsed = _parse(text)
            bodies = [n for n in ast.walk(parsed) if isinstance(n, ast.FunctionDef)]
            for body in bodies:
                yield os.path.basename(file), body.body
        else:
            for code in _blocks(text):
                if name in code:
                    yield os.path.basename(file), _parse(_without_prompts(code)).body


def _bodies(functions: list[ast.FunctionDef]) -> list[ast.stmt]:
    return [statement for function in functions for statement in function.body]


def _neighbours(path: str) -> list[str]:
    """READMEs and tests that may speak of the file: beside it, and above it up to a repository."""
    folder, file = os.path.split(os.path.abspath(path))
    found: list[str] = []
    for _ in range(4):
        for pattern in (f"test_{file}", f"tests/test_{file}", f"test/test_{file}"):
            found += glob.glob(os.path.join(glob.escape(folder), pattern))
        found += sorted(
            glob.glob(os.path.join(glob.escape(folder), "[Rr][Ee][Aa][Dd][Mm][Ee]*.md"))
        )
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = above
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_READ)
    except OSError:
        return ""


def _docstring(text: str | None) -> list[ast.stmt]:
    """The code in a docstring: its ``>>>`` lines, its fenced blocks, or indented lines."""
    if not text:
        return []
    if ">>>" in text:
        return _parse(_without_prompts(text)).body
    fenced = _blocks(text)
    if fenced:
        return _parse("\n".join(fenced)).body
    statements: list[ast.stmt] = []
    for paragraph in re.split(r"\n(?=\S)|\n\s*\n", text):
        indented = [line for line in paragraph.splitlines() if line.startswith((" ", "\t"))]
        if indented:
            statements += _parse(textwrap.dedent("\n".join(indented))).body
    return statements


def _blocks(text: str) -> list[str]:
    """The fenced blocks of Markdown that are Python, or that do not say what they are."""
    return [
        textwrap.dedent(block[3])
        for block in _BLOCK.finditer(text)
        if not block[2].strip() or block[2].strip().lower().startswith("py")
    ]


def _without_prompts(text: str) -> str:
    if ">>>" not in text:
        return text
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def _parse(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _read(
    statements: list[ast.stmt], makers: set[str], known: set[str], source: str
) -> Iterator[Usage]:
    """Follow assignments line by line; say every call of a model with what was known by then."""
    values: dict[str, ast.expr] = {}
    made: list[str] = []
    called: set[str] = set()
    for statement in _flat(statements):
        for call in _calls(statement):
            model = _model_of(_resolve(call.func, values), makers)
            if model is None:
                if _makes(call, makers):
                    text = _plain_text(_resolve(call, values), known)
                    if text is not None and text not in made:
                        made.append(text)
                continue
            constructor = _plain_text(model, known)
            arguments = _arguments(call, values, known)
            if arguments is not None:
                if constructor is not None:
                    called.add(constructor)
                args, kwargs, batch = arguments
                yield Usage(constructor, args, kwargs, True, source, batch)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            _assign(statement.targets[0], statement.value, values)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            _assign(statement.target, statement.value, values)
    for text in made:
        if text not in called:
            yield Usage(text, (), (), False, source)


def _flat(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        inner = [
            *getattr(statement, "body", []),
            *getattr(statement, "orelse", []),
            *getattr(statement, "finalbody", []),
        ]
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(statement, ast.ClassDef):
            yield from _flat([n for m in statement.body for n in getattr(m, "body", [])])
        elif inner:
            yield from _flat(inner)
        else:
            yield statement


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Calls in the order in which they run: the arguments of one before it."""

    def visit(node: ast.AST) -> Iterator[ast.Call]:
        for child in ast.iter_child_nodes(node):
            yield from visit(child)
        if isinstance(node, ast.Call):
            yield node

    yield from visit(statement)


def _assign(target: ast.expr, value: ast.expr, values: dict[str, ast.expr]) -> None:
    if isinstance(target, ast.Name):
        values[target.id] = _resolve(value, values)
    elif isinstance(target, ast.Attribute):
        values[ast.unparse(target)] = _resolve(value, values)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            _assign(one, its, values)
    elif isinstance(target, ast.Tuple):
        for one in target.elts:
            values.pop(ast.unparse(one), None)


def _resolve(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    """The expression with names replaced by what they were assigned."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.AST:
            return values.get(name.id, name) if isinstance(name.ctx, ast.Load) else name

        def visit_Attribute(self, attribute: ast.Attribute) -> ast.AST:
            known = values.get(ast.unparse(attribute))
            return known if known is not None else self.generic_visit(attribute)

    copy = ast.parse(ast.unparse(node), mode="eval").body
    replaced: ast.expr = Replace().visit(copy)
    return replaced


def _makes(node: ast.expr, makers: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    func = node.func
    if isinstance(func, ast.Attribute):
        # `models.Net(...)` is the class through its package; `Net.load(...)` is something else.
        return func.attr in makers and isinstance(func.value, (ast.Name, ast.Attribute))
    return isinstance(func, ast.Name) and func.id in makers


def _model_of(node: ast.expr, makers: set[str]) -> ast.Call | None:
    """The constructor call under ``.to(device)``, ``.eval()``, ``.forward`` and the like."""
    while True:
        if isinstance(node, ast.Call):
            if _makes(node, makers):
                return node
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr in _PLACING:
                node = func.value
                continue
            if _last_name(func) in ("DataParallel", "compile") and node.args:
                node = node.args[0]
                continue
            return None
        if isinstance(node, ast.Attribute) and node.attr == "forward":
            node = node.value
            continue
        return None


def _arguments(
    call: ast.Call, values: dict[str, ast.expr], known: set[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], int | None] | None:
    args = [_plain_text(_resolve(argument, values), known) for argument in call.args]
    kwargs = [
        (word.arg, _plain_text(_resolve(word.value, values), known)) for word in call.keywords
    ]
    if not args and not kwargs:
        return None
    texts = [*args, *(text for _, text in kwargs)]
    if any(text is None for text in texts) or any(word is None for word, _ in kwargs):
        return None
    plain, batch = with_batch([str(text) for text in texts])
    names = [str(word) for word, _ in kwargs]
    return tuple(plain[: len(args)]), tuple(zip(names, plain[len(args) :], strict=True)), batch


def _plain_text(node: ast.expr, known: set[str]) -> str | None:
    """The expression as text, None if it needs a name that only its own place has.

    Placing on a device is taken out: that is decided elsewhere.
    """

    class Unplaced(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.AST:
            self.generic_visit(call)
            func = call.func
            if isinstance(func, ast.Attribute) and (
                func.attr in ("cuda", "cpu")
                or (func.attr == "to" and "dtype" not in {k.arg for k in call.keywords}
                    and not any("torch." in ast.unparse(a) and "device" not in ast.unparse(a)
                                for a in call.args))
            ):  # fmt: skip
                return func.value
            if _makes(call, known) and isinstance(func, ast.Attribute):
                call.func = ast.Name(func.attr, ast.Load())
            call.keywords = [k for k in call.keywords if k.arg not in ("device", "requires_grad")]
            return call

    node = Unplaced().visit(ast.parse(ast.unparse(node), mode="eval").body)
    text = ast.unparse(node)
    bound = {
        target.id
        for inner in ast.walk(node)
        if isinstance(inner, (ast.comprehension, ast.Lambda))
        for target in ast.walk(inner.target if isinstance(inner, ast.comprehension) else inner.args)
        if isinstance(target, ast.Name)
    }
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id not in bound:
            fine = inner.id in known or inner.id in _LIBRARY or inner.id in _SAFE_BUILTINS
            if not fine or (hasattr(builtins, inner.id) and inner.id not in _SAFE_BUILTINS):
                return None
        if isinstance(inner, (ast.Await, ast.Yield, ast.NamedExpr)):
            return None
    if re.search(r"\btorch\.(load|save|hub|jit|cuda|distributed|compile|onnx)\b", text):
        return None
    return text


def with_batch(texts: list[str]) -> tuple[list[str], int | None]:
    """The leading size of every tensor made in them as ``BATCH``, if they all have the same."""
    trees = [ast.parse(text, mode="eval") for text in texts]
    places: list[tuple[ast.Call | ast.Tuple | ast.List, int]] = []
    for tree in trees:
        for node in ast.walk(tree):
            place = _leading(node)
            if place is not None:
                places.append(place)
    sizes = {_constant(holder, index) for holder, index in places}
    if len(sizes) != 1 or None in sizes:
        return texts, None
    for holder, index in places:
        items = holder.args if isinstance(holder, ast.Call) else holder.elts
        items[index] = ast.Name(BATCH, ast.Load())
    return [ast.unparse(tree) for tree in trees], sizes.pop()


def _leading(node: ast.AST) -> tuple[ast.Call | ast.Tuple | ast.List, int] | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"):
        return None
    if node.func.attr in _SHAPED and node.args:
        first = node.args[0]
        if isinstance(first, (ast.Tuple, ast.List)) and first.elts:
            return first, 0
        return node, 0
    if node.func.attr == "randint":
        for argument in node.args:
            if isinstance(argument, (ast.Tuple, ast.List)) and argument.elts:
                return argument, 0
        for word in node.keywords:
            if word.arg == "size" and isinstance(word.value, (ast.Tuple, ast.List)):
                return word.value, 0
    return None


def _constant(holder: ast.Call | ast.Tuple | ast.List, index: int) -> int | None:
    items = holder.args if isinstance(holder, ast.Call) else holder.elts
    item = items[index]
    value: Any = item.value if isinstance(item, ast.Constant) else None
    return value if isinstance(value, int) else None


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
