from __future__ import annotations

from stepscope.editor.output import LIMIT_BYTES, LONGEST_LINE, TargetOutput


def logged(*chunks: bytes) -> list[str]:
    lines: list[str] = []
    output = TargetOutput(lines.append)
    for chunk in chunks:
        output.feed(chunk, lambda action: action())
    output.finish()
    return lines


def test_lines_are_put_together_from_pieces() -> None:
    assert logged(b"one\ntw", b"o\nthree") == ["one", "two", "three"]


def test_characters_are_put_together_from_bytes() -> None:
    text = "深い\n".encode()
    assert logged(text[:2], text[2:]) == ["深い"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert logged(b"\xff\xfe\n") == ["\ufffd\ufffd"]


def test_a_progress_bar_leaves_its_last_state() -> None:
    assert logged(b"10 %\r50 %\r100 %\n") == ["100 %"]
    assert logged(b"a\r\nb\r\n") == ["a\nb"]


def test_a_flood_is_bounded_and_said() -> None:
    lines = logged(*[b"x" * 1000 + b"\n"] * 1000)
    assert sum(map(len, lines)) <= LIMIT_BYTES + 100
    assert lines[-1] == "(the target's output beyond 64 KiB is not shown)"
    assert lines.count(lines[-1]) == 1


def test_a_line_without_end_is_bounded() -> None:
    lines = logged(b"x" * 2 * LONGEST_LINE, b"\n")
    assert max(map(len, lines)) == LONGEST_LINE
