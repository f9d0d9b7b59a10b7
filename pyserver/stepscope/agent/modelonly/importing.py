"""The target as a module under its real name, as another file would import it."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

from .. import target


def import_target(path: str) -> tuple[ModuleType, bytes]:
    """The module and its text. Whatever the file itself raises is raised.

    Relative imports work as in the package that the file's folders make up.
    """
    root, name = module_name(path)
    if root not in sys.path:
        sys.path.insert(0, root)
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    known = sys.modules.get(name)
    if known is not None and not _is_file(known, path):
        name = f"_stepscope_target.{name}"  # another module has that name already
    source = target.read_target(path)
    if name in sys.modules:  # the package imports it by itself
        return sys.modules[name], source
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Not through the loader, which would leave a compiled copy beside the file.
        target.run(target.compile_target(path, source), module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module, source


def module_name(path: str) -> tuple[str, str]:
    """(Folder to import from, dotted name): a folder with an ``__init__.py`` is a package."""
    folder, file = os.path.split(os.path.abspath(path))
    names = [] if file == "__init__.py" else [file.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        if not package:
            break
        names.insert(0, package)
    return folder, ".".join(names)


def package_names(module: ModuleType) -> dict[str, Any]:
    """What the packages around a module offer by name; the closest one decides."""
    names: dict[str, Any] = {}
    parts = (getattr(module, "__package__", None) or "").split(".")
    for count in range(1, len(parts) + 1):
        package = sys.modules.get(".".join(parts[:count]))
        if package is not None:
            names |= {k: v for k, v in vars(package).items() if not k.startswith("_")}
    return names


def _is_file(module: ModuleType, path: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and os.path.realpath(file) == os.path.realpath(path)
