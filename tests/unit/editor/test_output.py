from __future__ import annotations

from stepscope.editor.output import LIMIT_BYTES, LONGEST_LINE, TAIL_BYTES, TargetOutput


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


def test_what_a_terminal_would_obey_is_left_out() -> None:
    assert logged(b"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\\n") == ["red link"]
    assert logged(b"10 %\r\x1b[2K20 %\r\n\x1b[A\x07tab\tkept\n") == ["20 %\ntab\tkept"]
    assert logged(b"half a colour \x1b[3", b"1mred\n") == ["half a colour red"]


def test_of_a_flood_the_beginning_and_the_end_are_kept() -> None:
    lines = "\n".join(logged(*[b"%06d" % number + b"x" * 993 + b"\n" for number in range(1000)]))
    assert len(lines) <= LIMIT_BYTES + TAIL_BYTES + 100
    assert lines.startswith("000000x")
    assert lines.count("are not shown)") == 1
    assert "(about 896 KiB of the output are not shown)" in lines
    assert lines.endswith("000999" + "x" * 993)


def test_nothing_is_left_out_where_the_end_follows_the_beginning() -> None:
    text = b"y" * 999 + b"\n"
    lines = "\n".join(logged(*[text] * 70))
    assert lines == "\n".join(["y" * 999] * 70)


def test_what_was_printed_is_known() -> None:
    output = TargetOutput(lambda _: None)
    assert output.empty
    output.feed(b"x", lambda action: action())
    assert not output.empty


def test_a_line_without_end_is_bounded() -> None:
    lines = logged(b"x" * 2 * LONGEST_LINE, b"\n")
    assert max(map(len, lines)) == LONGEST_LINE
