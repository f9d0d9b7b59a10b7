"""Whose a source file is, by its path alone: for recordings made on another machine."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_INSTALLED = frozenset(("site-packages", "dist-packages"))
_STANDARD_LIBRARY = re.compile(
    r"/lib(64)?/python\d+(\.\d+)?t?/|/\w*(python|conda|forge)\d*/Lib/", re.I
)
_TORCH_PARTS = frozenset(
    ("nn", "optim", "autograd", "utils", "cuda", "distributed", "_dynamo", "_inductor",
     "_functorch", "fx", "jit", "amp", "profiler", "functional.py", "_tensor.py", "_ops.py",
     "_compile.py")
)  # fmt: skip
_GENERATED = ("torchinductor_", "torch_compile_debug")


@lru_cache(maxsize=1 << 16)
def is_user_file(filename: str) -> bool:
    """Whether a recorded frame's file is the user's: Python, and no installed or generated code.

    A notebook's cell is the user's. A path proves nothing: a user's folder that is named like an
    installation is taken for one.
    """
    if filename.startswith("<ipython"):
        return True
    if filename.startswith("<") or not filename.endswith((".py", ".ipynb")):
        return False  # generated, or a C++ frame
    path = filename.replace("\\", "/")
    parts = path.split("/")
    if not _INSTALLED.isdisjoint(parts) or _STANDARD_LIBRARY.search(path):
        return False
    if any(part.startswith(_GENERATED) for part in parts):
        return False
    # A checkout of PyTorch itself.
    return not any(part == "torch" and below in _TORCH_PARTS for part, below in pairwise(parts))
