"""Following imports without ever breaking them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from ..imports import on_import


def follow(name: str, action: Callable[[ModuleType], None], note: Callable[[str], None]) -> None:
    """Call ``action`` when ``name`` is imported; ``note`` gets a sentence where that fails.

    What the target imports may be another version than those we know, or something else.
    """

    def act(module: ModuleType) -> None:
        try:
            action(module)
        except Exception as error:
            note(
                f"The guard does not know this {name} ({type(error).__name__}: {error}); what it "
                "does may not be kept from existing files or services."
            )

    on_import(name, act)
