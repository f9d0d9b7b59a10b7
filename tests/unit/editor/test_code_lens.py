from __future__ import annotations

import pytest

from stepscope.editor.code_lens import lens_lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("class A(nn.Module): ...", [1], id="nn.Module"),
        pytest.param("class A(torch.nn.Module): ...", [1], id="torch.nn.Module"),
        pytest.param("class A(Module): ...", [1], id="Module"),
        pytest.param("class A(pl.LightningModule): ...", [1], id="Lightning"),
        pytest.param("class A(nn.Linear): ...", [1], id="a layer"),
        pytest.param("class A(Mixin, nn.Module): ...", [1], id="second base"),
        pytest.param("class A(nn.Module[int]): ...", [1], id="subscript"),
        pytest.param(
            "from torch.nn import Module as M\nclass A(M): ...", [2], id="renamed on import"
        ),
        pytest.param(
            "class A(nn.Module): ...\nclass B(A): ...\nclass C(B): ...", [1, 2, 3], id="inherited"
        ),
        pytest.param("def f():\n    class A(nn.Module): ...\n", [2], id="nested"),
        pytest.param("@dataclass\nclass A(nn.Module): ...", [1], id="above the decorator"),
        pytest.param("class A: ...", [], id="plain class"),
        pytest.param("class A(nn.Parameter): ...", [], id="a parameter is no model"),
        pytest.param("class A(nn.functional): ...", [], id="a namespace is no model"),
        pytest.param("class A(other.Thing): ...", [], id="unknown base"),
        pytest.param("class A(make()): ...", [], id="computed base"),
        pytest.param('if __name__ == "__main__":\n    pass', [1], id="guard"),
        pytest.param("if '__main__' == __name__:\n    pass", [1], id="guard, turned round"),
        pytest.param('if __name__ != "__main__":\n    pass', [], id="not the guard"),
        pytest.param("if x == y:\n    pass", [], id="another test"),
        pytest.param("", [], id="empty"),
    ],
)
def test_where_lenses_are(text: str, lines: list[int]) -> None:
    assert lens_lines(text) == lines


def test_a_text_that_does_not_parse_is_told_apart() -> None:
    assert lens_lines("class (") is None
