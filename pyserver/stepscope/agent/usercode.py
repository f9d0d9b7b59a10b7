"""Which code is the user's: the target's folder and the workspace, never installed packages."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import CodeType, FrameType


class UserCode:
    """Decides by file name, once per file. ``roots`` are absolute folders."""

    def __init__(self, roots: list[str]) -> None:
        self._roots = tuple(_folder(root) for root in roots)
        paths = sysconfig.get_paths()
        foreign = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
        self._foreign = tuple(_folder(path) for path in foreign)
        self._agent = _folder(os.path.dirname(os.path.abspath(__file__)))
        self.known: dict[str, bool] = {}  # by file name, as far as it was asked for

    def owns(self, code: CodeType) -> bool:
        """Whether ``code`` belongs to the user."""
        known = self.known.get(code.co_filename)
        if known is None:
            known = self.known[code.co_filename] = self._decide(code.co_filename)
        return known

    def owns_file(self, filename: str) -> bool:
        """Whether the file is the user's."""
        known = self.known.get(filename)
        if known is None:
            known = self.known[filename] = self._decide(filename)
        return known

    def _decide(self, filename: str) -> bool:
        if filename.startswith("<"):
            return False
        path = os.path.normcase(os.path.realpath(filename))
        if not path.startswith(self._roots) or path.startswith(self._agent):
            return False
        parts = path.split(os.sep)
        if "site-packages" in parts or "dist-packages" in parts:
            return False
        # A workspace may lie below the interpreter's own folders only by accident (a root of "/").
        inside_root = max(len(root) for root in self._roots if path.startswith(root))
        return not any(path.startswith(f) and len(f) > inside_root for f in self._foreign)

    def frames(self, frame: FrameType | None) -> list[FrameType]:
        """The user's frames of a stack, innermost first."""
        found = []
        while frame is not None:
            if self.owns(frame.f_code):
                found.append(frame)
            frame = frame.f_back
        return found

    def innermost(self, frame: FrameType | None) -> FrameType | None:
        """The innermost user frame of a stack, or None."""
        while frame is not None:
            if self.owns(frame.f_code):
                return frame
            frame = frame.f_back
        return None

    def module_files(self) -> list[str]:
        """Source files of the user's modules that are loaded now, the target's first."""
        files = []
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.endswith(".py") and self.owns_file(path):
                files.append(path)
        return files


def _folder(path: str) -> str:
    return os.path.normcase(os.path.realpath(path)).rstrip(os.sep) + os.sep
