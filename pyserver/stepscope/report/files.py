"""What a run did to files, in sentences for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stepscope.session.model import FilesAfter

NAMED = 3


def describe_files(files: FilesAfter) -> str | None:
    """One sentence on what was kept and what is new; None where there is nothing to say."""
    parts = []
    if files.kept:
        parts.append(
            f"{_count(files.kept)} kept as {_it(files.kept, 'it was', 'they were')} "
            f"({_named(files.kept)})"
        )
    if files.created:
        created = [new.path for new in files.created]
        parts.append(f"{_count(created, 'new ')} left ({_named(created)})")
    return f"Files: {'; '.join(parts)}." if parts else None


def describe_changed(files: FilesAfter, target: str) -> str | None:
    """The sentence on files that changed although they were to be kept; None: there are none."""
    if not files.changed:
        return None
    names = ", ".join(files.changed[:NAMED])
    more = len(files.changed) - NAMED
    if more > 0:
        names += f" and {more} more"
    return (
        f"Stepscope let {target} change {names}: unless you or another program changed "
        f"{_it(files.changed, 'it', 'them')} meanwhile, please report this."
    )


def describe_removed(removed: Sequence[str], left: Sequence[str]) -> str:
    """What became of the wish to remove the new files."""
    text = f"{_count(removed, 'new ')} removed"
    if left:
        text += f"; {_count(left)} changed since the run and left ({_named(left)})"
    return f"{text}."


def _count(paths: Sequence[str], kind: str = "") -> str:
    return f"{len(paths)} {kind}file{'' if len(paths) == 1 else 's'}"


def _it(paths: Sequence[str], one: str, many: str) -> str:
    return one if len(paths) == 1 else many


def _named(paths: Sequence[str]) -> str:
    names = ", ".join(Path(path).name for path in paths[:NAMED])
    return names + (", ..." if len(paths) > NAMED else "")
