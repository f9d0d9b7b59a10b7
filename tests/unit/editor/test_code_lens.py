from __future__ import annotations

import pytest

from stepscope.editor.code_lens import TITLE, lenses


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
    found = lenses(text)
    assert found is not None
    assert [lens.line for lens in found if lens.title == TITLE] == lines


def test_a_text_that_does_not_parse_is_told_apart() -> None:
    assert lenses("class (") is None


TWO = "for x in l:\n    f().backward()\nwith torch.no_grad():\n    for y in l:\n        model(y)\n"


def titles(text: str, chosen: int | None = None) -> list[tuple[int, str, dict[str, int | None]]]:
    found = lenses(text, chosen)
    assert found is not None
    return [(lens.line, lens.title, lens.arguments) for lens in found]


def test_a_single_loop_is_no_choice() -> None:
    assert titles(TWO[: TWO.index("with")]) == []


def test_several_loops_are_offered() -> None:
    assert titles(TWO) == [
        (1, "Profile this loop", {"loop": 1}),
        (4, "Profile this loop", {"loop": 4}),
    ]


def test_the_chosen_one_says_so_and_can_be_let_go() -> None:
    assert titles(TWO, 4) == [
        (1, "Profile this loop", {"loop": 1}),
        (4, "Profile this loop (chosen)", {"loop": 4}),
        (4, "Let Stepscope choose", {"loop": None}),
    ]
