"""Keywords set in the ``DataLoader(...)`` call: pinned, kept, fewer workers, more ahead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.fixes.check import check_advice, check_fix, check_none

SETTINGS: list[tuple[str, str, dict[str, Any]]] = [
    ("pageable-copy", "pin_memory=True", {"at": "loader"}),
    ("persistent-workers", "persistent_workers=True", {}),
    ("short-prefetch", "prefetch_factor=4", {"wanted": 4}),
    ("too-many-workers", "num_workers=3", {"workers": 3}),
]
each = pytest.mark.parametrize(("rule", "keyword", "evidence"), SETTINGS, ids=lambda v: str(v)[:20])


@each
def test_the_keyword_is_added_to_a_call_on_one_line(
    rule: str, keyword: str, evidence: dict[str, Any]
) -> None:
    check_fix(
        rule,
        "é = DataLoader(data, batch_size=8)  # <--\n",
        f"é = DataLoader(data, batch_size=8, {keyword})\n",
        **evidence,
    )


@each
def test_the_layout_of_a_long_call_is_kept(
    rule: str, keyword: str, evidence: dict[str, Any]
) -> None:
    check_fix(
        rule,
        """
        loader = torch.utils.data.DataLoader(  # <--
            data,
            batch_size=8,  # fits
        )
        """,
        f"""
        loader = torch.utils.data.DataLoader(
            data,
            batch_size=8,  # fits
            {keyword},
        )
        """,
        **evidence,
    )


@each
def test_another_value_is_replaced(rule: str, keyword: str, evidence: dict[str, Any]) -> None:
    name, _, value = keyword.partition("=")
    other = {"True": "False", "4": "2", "3": "12"}[value]
    source = f"x = DataLoader(data, {name}={other}, shuffle=True)"
    check_fix(rule, f"{source}  # <--\n", source.replace(other, value, 1) + "\n", **evidence)


@each
def test_what_is_there_already_needs_nothing(
    rule: str, keyword: str, evidence: dict[str, Any]
) -> None:
    check_none(rule, f"x = DataLoader(data, {keyword})  # <--\n", **evidence)


@each
@pytest.mark.parametrize(
    "source",
    [
        "x = DataLoader(**options)  # <--\n",
        "x = DataLoader(*options)  # <--\n",
        "x = make_loader()  # <--\n",
        "a, b = DataLoader(d), DataLoader(e)  # <--\n",
        "for x in loader:  # <--\n    f(x)\n",
    ],
)
def test_what_cannot_be_edited_is_said_in_words(
    rule: str, keyword: str, evidence: dict[str, Any], source: str
) -> None:
    check_advice(rule, source, keyword, **evidence)


@each
def test_a_computed_value_is_named(rule: str, keyword: str, evidence: dict[str, Any]) -> None:
    name, _, value = keyword.partition("=")
    source = f"x = DataLoader(data, {name}=args.n)  # <--\n"
    check_advice(rule, source, f"Set {name}, here args.n, to {value}", **evidence)


def test_a_value_given_by_position_is_found() -> None:
    check_fix(
        "pageable-copy",
        "x = DataLoader(data, 8, True, None, None, 2, None, False)  # <--\n",
        "x = DataLoader(data, 8, True, None, None, 2, None, True)\n",
        at="loader",
    )


def test_fewer_workers_and_longer_prefetching_are_left_alone() -> None:
    check_none("too-many-workers", "x = DataLoader(d, num_workers=2)  # <--\n", workers=3)
    check_none("short-prefetch", "x = DataLoader(d, prefetch_factor=8)  # <--\n", wanted=4)


def test_a_copy_that_no_loader_explains_gets_advice() -> None:
    check_advice("pageable-copy", "x = x.to(device)  # <--\n", "Pin the memory", at="copy")
