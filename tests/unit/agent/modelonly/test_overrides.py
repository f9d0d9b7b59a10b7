"""What a person wrote down: which class it is about, and what comes first."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from stepscope.agent.modelonly.classes import ModelClass
from stepscope.agent.modelonly.overrides import (
    Comment,
    Written,
    class_of,
    comments,
    override_for,
    parse_inputs,
)

SOURCE = """\
import torch
TEXT = "# stepscope: model=Never()"

# stepscope: model=First(3)
# stepscope:   inputs=torch.randn(8, 3), mask=None
class First(nn.Module):
    pass


class Second(nn.Module):
    # stepscope: inputs=torch.zeros(2)
    pass


#stepscope: model=First(9)
"""


def classes() -> list[ModelClass]:
    nodes = [node for node in ast.parse(SOURCE).body if isinstance(node, ast.ClassDef)]
    return [ModelClass(node.name, node.lineno, node, object) for node in nodes]


def override(name: str, **wishes: Any) -> tuple[str | None, str | None]:
    found = override_for(name, classes(), comments(SOURCE), wishes, "/x/net.py")
    model, inputs = found.model, found.inputs
    return (model.text if model else None, inputs.text if inputs else None)


def test_only_comments_count() -> None:
    assert comments(SOURCE) == [
        Comment(4, "model", "First(3)"),
        Comment(5, "inputs", "torch.randn(8, 3), mask=None"),
        Comment(11, "inputs", "torch.zeros(2)"),
        Comment(15, "model", "First(9)"),
    ]
    assert comments("class (") == []


def test_a_comment_is_about_the_class_it_names_stands_in_or_stands_above() -> None:
    about = [class_of(comment, classes()) for comment in comments(SOURCE)]
    assert about == ["First", "First", "Second", "First"]


def test_each_class_gets_its_own() -> None:
    assert override("First") == ("First(3)", "torch.randn(8, 3), mask=None")
    assert override("Second") == (None, "torch.zeros(2)")


def test_the_command_line_before_the_file_before_a_setting() -> None:
    setting = {"Second": {"model": "Second(1)", "inputs": "torch.ones(1)"}}
    assert override("Second", settings=setting) == ("Second(1)", "torch.zeros(2)")
    assert override("Second", settings=setting, inputs="x") == ("Second(1)", "x")


def test_the_place_is_said() -> None:
    found = override_for("Second", classes(), comments(SOURCE), {}, "/x/net.py")
    assert found.inputs == Written("torch.zeros(2)", "the comment on line 11 of net.py", 11)


def test_inputs_are_the_arguments_of_a_call() -> None:
    parsed = parse_inputs(Written("torch.randn(8, 3), mask=None", "--inputs"))
    assert (parsed.args, parsed.kwargs) == (("torch.randn(8, 3)",), (("mask", "None"),))
    assert parsed.text(None) == "torch.randn(8, 3), mask=None"


@pytest.mark.parametrize("bad", ["torch.randn(8", "x)(y", "**rest", "a=1, b"])
def test_what_is_no_list_of_arguments_is_refused(bad: str) -> None:
    with pytest.raises(SyntaxError):
        parse_inputs(Written(bad, "--inputs"))
