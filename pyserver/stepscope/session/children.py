"""What the target's child processes said of their ends, and what it means for the run."""

from __future__ import annotations

from typing import Any

from stepscope.session import failures


class Children:
    """Collects it. Nothing of it ends the run by itself: the parent may deal with it."""

    def __init__(self) -> None:
        self._raised: dict[str, Any] | None = None  # the first one: the others follow from it
        self._ended: list[dict[str, Any]] = []

    def heard(self, message: dict[str, Any]) -> bool:
        """Take note of a child's message; False if it is none."""
        if message["kind"] == "child-raised":
            self._raised = self._raised or {**message, "kind": "raised"}
            return True
        if message["kind"] == "child-ended":
            self._ended.append(message)
            return True
        return False

    def cause(self, message: dict[str, Any]) -> dict[str, Any]:
        """What a child raised, if that made the main process raise; else the message itself."""
        return self._raised if message["kind"] == "raised" and self._raised else message

    def joined(self, ended: dict[str, Any], told: failures.Told) -> dict[str, Any]:
        """How the target ended, children included. Raises ``Failure`` if one of them failed.

        Steps that a child made count like the main process's own.
        """
        if self._raised is not None and ended["ticks"] < 2:
            raise failures.from_message(self._raised, told)
        most = max(self._ended, key=lambda child: int(child["ticks"]), default=None)
        if most is None or ended["ticks"] >= 2:
            return ended
        own = ("torch", "ticks", "boundary", "counts")
        return {**ended, **{name: most[name] for name in own}, "torch": True}
