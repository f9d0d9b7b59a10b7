"""Something that the file imports is not there, or not as the file expects it."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

from stepscope.session.failures.record import Answer, Ending, Place
from stepscope.session.model import Action, ActionKind

_CHOOSE = Action(ActionKind.CHOOSE_INTERPRETER)
_MISSING = "builtins.ModuleNotFoundError"
# Distributions whose name is not that of the module. The rest have the module's name.
DISTRIBUTIONS = {
    "absl": "absl-py", "attr": "attrs", "Bio": "biopython", "bs4": "beautifulsoup4",
    "clip": "git+https://github.com/openai/CLIP.git", "community": "python-louvain",
    "Crypto": "pycryptodome", "cv2": "opencv-python", "dateutil": "python-dateutil",
    "docx": "python-docx", "dotenv": "python-dotenv", "faiss": "faiss-cpu", "fitz": "pymupdf",
    "git": "gitpython", "hydra": "hydra-core", "jose": "python-jose", "jwt": "pyjwt",
    "Levenshtein": "python-levenshtein", "lightning_fabric": "lightning", "magic": "python-magic",
    "MeCab": "mecab-python3", "mpl_toolkits": "matplotlib", "mujoco_py": "mujoco-py",
    "OpenGL": "pyopengl", "OpenSSL": "pyopenssl", "PIL": "pillow", "pkg_resources": "setuptools<81",
    "psycopg2": "psycopg2-binary", "pyximport": "cython", "pytorch_lightning": "pytorch-lightning",
    "serial": "pyserial", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "skvideo": "sk-video", "stable_baselines3": "stable-baselines3",
    "torch_geometric": "torch-geometric", "torch_scatter": "torch-scatter",
    "torch_sparse": "torch-sparse", "umap": "umap-learn", "usb": "pyusb", "win32api": "pywin32",
    "wx": "wxpython", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
_TAKEN_OUT = {  # of the standard library, since when, and what has it instead
    "distutils": ("3.12", "setuptools"),
    "asyncore": ("3.12", "pyasyncore"),
    "asynchat": ("3.12", "pyasynchat"),
    "imp": ("3.12", None),
    "cgi": ("3.13", "legacy-cgi"),
    "imghdr": ("3.13", "standard-imghdr"),
    "pipes": ("3.13", "standard-pipes"),
    "telnetlib": ("3.13", "standard-telnetlib"),
}


def missing_module(ending: Ending) -> Answer | None:
    """``import`` of a module that is nowhere: of this project, or of a package to install."""
    error = ending.error
    if error is None or not error.is_a(_MISSING):
        return None
    full = error.attributes.get("name")
    if not isinstance(full, str) or not full:
        return None
    top = full.partition(".")[0]
    if top in ending.versions:
        return _without_part(ending, top, full)
    folder = _home_of(ending, full)
    if folder is not None:
        there = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        return Answer(
            f"{ending.name} imports {full}{ending.at}, which is in {folder}, but Python does not "
            f"look for modules there: add that folder to PYTHONPATH (setting stepscope.env, or "
            f"--env {_quoted(f'PYTHONPATH={there}')}).",
            Action(ActionKind.SET_ENV, (f"PYTHONPATH={there}",)),
        )
    if top in _TAKEN_OUT:
        since, instead = _TAKEN_OUT[top]
        put = "choose an older interpreter"
        if instead:
            put += f", or run `{ending.python} -m pip install {instead}`"
        return Answer(
            f"{ending.name} imports {top}{ending.at}, which Python {since} took out of its "
            f"standard library: {put}.",
            Action(ActionKind.INSTALL, (instead,)) if instead else _CHOOSE,
        )
    wanted = DISTRIBUTIONS.get(top, top)
    return Answer(
        f"{ending.name} imports {top}{ending.at}, which is not installed in {ending.python}: run "
        f"`{ending.python} -m pip install {_quoted(wanted)}`, or choose the interpreter that has "
        "it.",
        Action(ActionKind.INSTALL, (wanted,)),
    )


def missing_name(ending: Ending) -> Answer | None:
    """``from library import name`` of a library that has no such name (any more, or yet)."""
    error = ending.error
    if error is None or not error.is_a("builtins.ImportError"):
        return None
    found = re.match(r"cannot import name '([^']+)' from (partially initialized module )?'([^']+)'",
                     error.message)  # fmt: skip
    if found is None:
        return None
    name, half, module = found.groups()
    if half or "circular import" in error.message:
        return Answer(
            f"{ending.name} cannot import {name} from {module}{ending.at}: the two modules import "
            f"each other. {_namesake(ending, module)}"
        )
    return _skew(ending, module.partition(".")[0], f"{module} has no {name}")


def missing_attribute(ending: Ending) -> Answer | None:
    """``library.name`` where the library has no such name: ``np.float``, say."""
    error = ending.error
    if error is None or not error.is_a("builtins.AttributeError"):
        return None
    found = re.match(r"(?:partially initialized )?module '([^']+)' has no attribute '([^']+)'",
                     error.message)  # fmt: skip
    if found is None:
        return None
    module, name = found.groups()
    if "partially initialized" in error.message:
        return Answer(
            f"{ending.name} found no {name} in {module}{ending.at}, which is still being imported. "
            f"{_namesake(ending, module)}"
        )
    return _skew(ending, module.partition(".")[0], f"{module} has no {name}")


def unknown_keyword(ending: Ending) -> Answer | None:
    """A call of a library with a keyword that this version of it does not take."""
    error = ending.error
    if error is None or not error.is_a("builtins.TypeError"):
        return None
    found = re.search(r"^(\S+)\(\) got an unexpected keyword argument '([^']+)'", error.message)
    if found is None:
        return None
    function, keyword = found.groups()
    package = _called_package(ending, keyword)
    if package is None:
        return None
    function = function.removesuffix(".__init__")
    return _skew(ending, package, f"{function} takes no {keyword}")


def _namesake(ending: Ending, module: str) -> str:
    """The likely cause of modules that import each other: a file that hides a library."""
    file = f"{module.partition('.')[0]}.py"
    place = ending.place
    if place is not None and Path(place.file) != ending.request.target.absolute():
        file = Path(place.file).name
    return (
        f"Most often a file of yours has the name of a library and is imported in its place: "
        f"rename {file}."
    )


def _skew(ending: Ending, package: str, what: str) -> Answer | None:
    version = ending.versions.get(package)
    if version is None:
        return None
    return Answer(
        f"{ending.name} stopped{ending.at}: {what} in {package} {version}, which is installed in "
        f"{ending.python}. The file was probably written for another version of {package}: "
        f"look for one in its requirements, or change the line.",
        _CHOOSE,
    )


def _without_part(ending: Ending, top: str, full: str) -> Answer | None:
    return _skew(ending, top, f"there is no module {full}")


def _home_of(ending: Ending, module: str) -> Path | None:
    """The folder of the project that would have the module if it were on ``sys.path``."""
    top = module.partition(".")[0]
    own = ending.request.target.absolute().parent
    for folder in ending.around():
        # Python has looked in the file's own folder.
        if folder != own and (
            ending.files.exists(folder / f"{top}.py") or ending.files.holds_python(folder / top)
        ):
            return folder
    return None


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else f"'{word}'"


def _called_package(ending: Ending, keyword: str) -> str | None:
    """The package whose callable was given ``keyword`` on the user's line, from its imports."""
    place = ending.place
    tree = _parsed(ending, place)
    if tree is None or place is None:
        return None
    imported: dict[str, str] = {}
    roots: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                imported[alias.asname or top] = top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                imported[alias.asname or alias.name] = node.module.partition(".")[0]
        elif (
            isinstance(node, ast.Call)
            and node.lineno <= place.line <= (node.end_lineno or node.lineno)
            and any(word.arg == keyword for word in node.keywords)
        ):
            called: ast.expr = node.func
            while isinstance(called, ast.Attribute):
                called = called.value
            if isinstance(called, ast.Name):
                roots.append(called.id)
    return next((imported[root] for root in roots if root in imported), None)


def _parsed(ending: Ending, place: Place | None) -> ast.Module | None:
    try:
        return ast.parse(ending.files.text(place))
    except (SyntaxError, ValueError):
        return None
