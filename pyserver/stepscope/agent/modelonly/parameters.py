"""How the parameters of a constructor are used in its body: what a name alone does not say."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

# What the first arguments of a layer are.
_LAYERS: dict[str, tuple[str, ...]] = {
    "Conv1d": ("in_channels", "out_channels", "kernel_size", "stride", "padding"),
    "Conv2d": ("in_channels", "out_channels", "kernel_size", "stride", "padding"),
    "Conv3d": ("in_channels", "out_channels", "kernel_size", "stride", "padding"),
    "ConvTranspose2d": ("inplanes", "out_channels", "kernel_size", "stride", "padding"),
    "Linear": ("in_features", "hidden_dim"),
    "LazyLinear": ("hidden_dim",),
    "Embedding": ("num_embeddings", "embed_dim"),
    "LSTM": ("in_features", "hidden_dim", "num_layers"),
    "GRU": ("in_features", "hidden_dim", "num_layers"),
    "RNN": ("in_features", "hidden_dim", "num_layers"),
    "LayerNorm": ("dim",),
    "BatchNorm2d": ("width",),
    "BatchNorm1d": ("dim",),
    "MultiheadAttention": ("dim", "heads"),
    "TransformerEncoderLayer": ("dim", "heads", "mlp_dim"),
    "Dropout": ("dropout",),
    "range": ("depth",),
}
_KEYWORDS = {"num_layers", "dropout", "kernel_size", "stride", "padding", "embed_dim", "num_heads"}


@dataclass
class Use:
    """What the bodies of a class say about one parameter."""

    called: bool = False  # it is a function, a class or a module
    is_list: bool = False
    list_length: int | None = None
    is_dict: bool = False
    keys: list[str] = field(default_factory=list)  # of a mapping
    attributes: list[str] = field(default_factory=list)  # of a configuration
    roles: list[str] = field(default_factory=list)  # names from ``names`` that it plays
    choices: list[str] = field(default_factory=list)  # values it is compared with, as text
    arithmetic: bool = False
    passed: list[tuple[str, int | str]] = field(default_factory=list)  # (class, place in its call)


def uses_of(node: ast.ClassDef, parameter: str) -> Use:
    """How the class uses a parameter of its constructor, also after ``self.x = x``."""
    use = Use()
    init = next(
        (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None
    )
    stored = {parameter}
    if init is not None:
        _look(init, {parameter}, set(), use)
        for statement in ast.walk(init):
            if isinstance(statement, ast.Assign) and _is_name(statement.value, parameter):
                for aim in statement.targets:
                    if isinstance(aim, ast.Attribute):
                        stored.add(aim.attr)
    own = {name for name in stored if init is None or _stores(init, name, parameter)}
    if own:
        for method in node.body:
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                _look(method, set(), own, use)
    return use


def _stores(init: ast.FunctionDef, attribute: str, parameter: str) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and _is_name(node.value, parameter)
        and any(isinstance(aim, ast.Attribute) and aim.attr == attribute for aim in node.targets)
        for node in ast.walk(init)
    )


def _look(function: ast.AST, names: set[str], attributes: set[str], use: Use) -> None:
    def is_it(node: ast.AST | None) -> bool:
        if isinstance(node, ast.Name):
            return node.id in names
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and node.attr in attributes
        )

    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            _look_at_call(node, is_it, use)
        elif isinstance(node, ast.Attribute) and is_it(node.value):
            if node.attr in ("items", "keys", "values", "get"):
                use.is_dict = True
            elif node.attr in ("lower", "upper", "startswith"):
                use.choices.append("'base'")
            elif node.attr not in use.attributes:
                use.attributes.append(node.attr)
        elif isinstance(node, ast.Subscript) and is_it(node.value):
            key = node.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                use.is_dict = True
                if key.value not in use.keys:
                    use.keys.append(key.value)
            else:
                use.is_list = True
        elif (isinstance(node, (ast.For, ast.comprehension)) and is_it(node.iter)) or (
            isinstance(node, ast.Starred) and is_it(node.value)
        ):
            use.is_list = True
        elif isinstance(node, ast.Assign) and is_it(node.value):
            for aim in node.targets:
                if isinstance(aim, ast.Tuple):
                    use.is_list, use.list_length = True, len(aim.elts)
        elif isinstance(node, ast.Compare):
            _look_at_compare(node, is_it, use)
        elif isinstance(node, ast.BinOp) and (is_it(node.left) or is_it(node.right)):
            use.arithmetic = True


def _look_at_call(node: ast.Call, is_it: object, use: Use) -> None:
    assert callable(is_it)
    if is_it(node.func):
        use.called = True
    name = _last_name(node.func)
    if name in ("len", "zip", "enumerate", "sum", "list", "tuple", "pairwise", "reversed"):
        use.is_list |= any(is_it(argument) for argument in node.args)
    roles = _LAYERS.get(name, ())
    for index, argument in enumerate(node.args):
        if is_it(argument):
            if index < len(roles) and roles[index] not in use.roles:
                use.roles.append(roles[index])
            use.passed.append((name, index))
    for keyword in node.keywords:
        if keyword.arg and is_it(keyword.value):
            if keyword.arg in _KEYWORDS and name in _LAYERS:
                use.roles.append(keyword.arg)
            use.passed.append((name, keyword.arg))


def _look_at_compare(node: ast.Compare, is_it: object, use: Use) -> None:
    assert callable(is_it)
    for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        if not is_it(side):
            continue
        values = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                use.choices.append(repr(value.value))
            elif isinstance(value, ast.Attribute) and isinstance(node.ops[0], (ast.Eq, ast.Is)):
                use.choices.append(ast.unparse(value))  # a member of an enumeration


def _is_name(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
