"""unfused-attention: plain statements of an attention become one call."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source, calls, dotted_name, header
from stepscope.fixes.edits import indent_unit, replace, stands_alone
from stepscope.fixes.keywords import set_keyword
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import alias_of, module_name

RULE = "unfused-attention"

_TITLE = "Use F.scaled_dot_product_attention"
_LAST_TWO = ({-1, -2}, {2, 3})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAKE_NUMBERS = ("math.sqrt", "math.pow", "sqrt", "float", "int", "len")
_WIDTH = 100  # beyond which the arguments get lines of their own


@dataclass(slots=True)
class _Parts:
    """Source texts of what the one call takes."""

    query: str
    key: str
    value: str = ""
    scale: str | None = None
    mask: str | None = None


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """The statements from the scores to the product with the values; advice for other forms."""
    place = source.place_at(line)
    if place is None:
        return None
    if finding.evidence.get("written") == "in a module":
        return _without_weights(finding.file, source, place)
    if not any(
        dotted_name(call.func).rpartition(".")[2] == "softmax"
        for part in header(place.statement)
        for call in calls(part)
    ):
        return None
    return _in_one_call(finding.file, source, place) or Fix(
        "Write this attention as F.scaled_dot_product_attention(q, k, v)", ()
    )


def _without_weights(file: str, source: Source, place: Place) -> Fix | None:
    """``out, _ = self.attention(q, k, v)``: nobody uses the weights."""
    statement, title = place.statement, "Do not ask for the attention weights (need_weights=False)"
    advice = Fix("Call nn.MultiheadAttention with need_weights=False", ())
    call: ast.expr | None = None
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        target = statement.targets[0]
        ignored = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if isinstance(target, ast.Tuple) and ignored:
            last = target.elts[1]
            if isinstance(last, ast.Name) and not _is_read(source, last.id):
                call = statement.value
    if call is None:
        for part in header(statement):
            for node in ast.walk(part):
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
                    first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
                    call = node.value if first and len(node.value.args) >= 3 else call
    if not isinstance(call, ast.Call):
        return advice
    return set_keyword(file, source, call, "need_weights", "False", title)


def _is_read(source: Source, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(source.tree)
    )


def _in_one_call(file: str, source: Source, place: Place) -> Fix | None:
    """None where a statement is of another form, or something else reads what lies between."""
    softmax = _assigned(place.statement)
    if softmax is None or place.index == 0:
        return None
    name, value = softmax
    if not _is_softmax(value, name):
        return None
    block, here = place.block, place.index
    parts: _Parts | None = None
    mask: str | None = None
    first = here
    while first > 0 and parts is None and here - first < 3:
        first -= 1
        before = _assigned(block[first])
        if before is None or before[0] != name:
            return None
        parts = _scores(source, before[1], name)
        if parts is None:
            masked = _masked(source, before[1], name)
            if masked is None or mask is not None:
                return None
            mask = masked
    if parts is None or here + 1 >= len(block):
        return None
    after = _assigned(block[here + 1])
    if after is None or not _is_product_with(after[1], name):
        return None
    parts.mask = mask
    parts.value = source.segment(_right(after[1]))
    if _used_later(source, place, name, block[here + 1], after[0]):
        return None
    statements = block[first : here + 2]
    if not all(stands_alone(source, p) for p in source.places if p.statement in statements):
        return None
    function = _function(source)
    if function is None or not _no_comments(source, block[first], block[here + 1]):
        return None
    arguments = [parts.query, parts.key, parts.value]
    if parts.mask is not None:
        arguments.append(f"attn_mask={parts.mask}")
    if parts.scale is not None:
        arguments.append(f"scale={parts.scale}")
    indent = source.indent(block[first].lineno)
    text = f"{after[0]} = {function}({', '.join(arguments)})"
    if len(indent) + len(text) > _WIDTH:
        lines = "".join(
            f"{source.newline}{indent}{indent_unit(source, place)}{argument},"
            for argument in arguments
        )
        text = f"{after[0]} = {function}({lines}{source.newline}{indent})"
    edit = replace(file, source.start(block[first]), source.end(block[here + 1]), text)
    return Fix(_TITLE, (edit,))


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return target.id, statement.value
    return None


def _is_softmax(value: ast.expr, name: str) -> bool:
    if not isinstance(value, ast.Call) or dotted_name(value.func).rpartition(".")[2] != "softmax":
        return False
    arguments = list(value.args)
    if dotted_name(value.func) == f"{name}.softmax":
        dimension = arguments[:1]
    elif arguments and isinstance(arguments[0], ast.Name) and arguments[0].id == name:
        dimension = arguments[1:2]
    else:
        return False
    for keyword in value.keywords:
        if keyword.arg != "dim":
            return False
        dimension = [keyword.value]
    return len(dimension) == 1 and ast.unparse(dimension[0]) == "-1"


def _scores(source: Source, value: ast.expr, name: str) -> _Parts | None:
    """``q @ k.transpose(-2, -1)``, perhaps times or over a scale."""
    scale: str | None = "1.0"
    product: ast.expr = value
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
        product = value.left
        if not _is_number(source, value.right):
            return None
        text = source.segment(value.right)
        scale = text if isinstance(value.op, ast.Mult) else f"1 / {_bracketed(value.right, text)}"
    pair = _product(product)
    if pair is None:
        return None
    left, right = pair
    key = _transposed(right)
    if key is None or name in {node.id for node in ast.walk(product) if isinstance(node, ast.Name)}:
        return None
    return _Parts(source.segment(left), source.segment(key), scale=scale)


def _is_number(source: Source, node: ast.expr) -> bool:
    """Whether it is seen to be one number for all scores, and no tensor."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.Call):
        return dotted_name(node.func) in _MAKE_NUMBERS
    if isinstance(node, ast.BinOp):
        return _is_number(source, node.left) and _is_number(source, node.right)
    if isinstance(node, ast.UnaryOp):
        return _is_number(source, node.operand)
    if isinstance(node, ast.Subscript):
        return dotted_name(node.value).endswith(".shape")
    name = dotted_name(node)
    values = _assigned_to(source, name) if name else []
    return bool(values) and all(_makes_number(source, value) for value in values)


def _makes_number(source: Source, value: ast.expr) -> bool:
    """Whether a name that is assigned ``value`` holds a number (or several, as a shape does)."""
    text = source.segment(value).replace(" ", "")
    if text.endswith((".shape", ".size()")):
        return True
    made = (node for node in ast.walk(value) if isinstance(node, ast.Call))
    computed = any(isinstance(node, (ast.BinOp, ast.Constant)) for node in ast.walk(value))
    return computed and all(dotted_name(call.func) in _MAKE_NUMBERS for call in made)


def _assigned_to(source: Source, name: str) -> list[ast.expr]:
    """Every value that the file assigns to the name, by itself or in a tuple."""
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                if any(dotted_name(part) == name for part in parts):
                    found.append(node.value)
    return found


def _bracketed(node: ast.expr, text: str) -> str:
    simple = isinstance(node, (ast.Call, ast.Name, ast.Constant, ast.Attribute))
    return text if simple else f"({text})"


def _masked(source: Source, value: ast.expr, name: str) -> str | None:
    """``scores.masked_fill(mask == 0, float("-inf"))`` as the mask of what takes part."""
    if not isinstance(value, ast.Call) or dotted_name(value.func) != f"{name}.masked_fill":
        return None
    if len(value.args) != 2 or value.keywords or not _is_minus_infinity(value.args[1]):
        return None
    condition = value.args[0]
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Invert):
        return source.segment(condition.operand)
    text = source.segment(condition)
    return f"~{text}" if isinstance(condition, (ast.Name, ast.Attribute)) else f"~({text})"


def _is_minus_infinity(node: ast.expr) -> bool:
    text = ast.unparse(node).replace(" ", "")
    return text in ("float('-inf')", "-torch.inf", "-math.inf", "-float('inf')")


def _product(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right
    if isinstance(node, ast.Call) and not node.keywords:
        called = dotted_name(node.func)
        if called in ("torch.matmul", "torch.bmm") and len(node.args) == 2:
            return node.args[0], node.args[1]
    return None


def _transposed(node: ast.expr) -> ast.expr | None:
    """``k`` of ``k.transpose(-2, -1)`` or ``k.mT``."""
    if isinstance(node, ast.Attribute) and node.attr == "mT":
        return node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "transpose" or len(node.args) != 2 or node.keywords:
        return None
    try:
        sides = {int(ast.literal_eval(argument)) for argument in node.args}
    except (ValueError, TypeError):
        return None
    return node.func.value if sides in _LAST_TWO else None


def _is_product_with(value: ast.expr, name: str) -> bool:
    pair = _product(value)
    return pair is not None and isinstance(pair[0], ast.Name) and pair[0].id == name


def _right(value: ast.expr) -> ast.expr:
    pair = _product(value)
    assert pair is not None
    return pair[1]


def _used_later(source: Source, place: Place, name: str, last: ast.stmt, result: str) -> bool:
    """Whether the probabilities are read behind the product, in the same function."""
    if result == name:
        return False
    scope: ast.AST = next(
        (parent for parent in reversed(place.parents) if isinstance(parent, _FUNCTIONS)),
        source.tree,
    )
    end = last.end_lineno or last.lineno
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and (node.lineno > end or node.lineno < place.block[0].lineno)
        for node in ast.walk(scope)
    )


def _function(source: Source) -> str | None:
    """How the file spells the function; None where nothing of torch is imported."""
    functional = alias_of(source, "torch.nn", "functional")
    if functional is not None:
        return f"{functional}.scaled_dot_product_attention"
    torch = module_name(source, "torch")
    return f"{torch}.nn.functional.scaled_dot_product_attention" if torch else None


def _no_comments(source: Source, first: ast.stmt, last: ast.stmt) -> bool:
    """Whether no comment would be lost between the statements."""
    lines = source.lines[first.lineno - 1 : (last.end_lineno or last.lineno) - 1]
    return not any("#" in line for line in lines)
