"""Start Stepscope's command line by path, so that the current folder is not on ``sys.path``.

``python -m stepscope`` would put it there, and a file called ``profile.py`` or ``queue.py`` beside
the user's script would then replace the standard library's.

In the packed extension the ``stepscope`` package and ``libs/`` (its pure Python dependencies) lie
beside this file and go before everything that the interpreter has installed. They are on the path
of this process only: the profiled file runs in another one, started without them. In a clone there
is no ``libs/`` and everything comes from the clone's own environment.
"""

import sys
from pathlib import Path

if sys.version_info < (3, 10):  # noqa: UP036  # any Python may be selected in the editor
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit(f"Stepscope needs Python 3.10 or newer; {sys.executable} is {found}.")

here = Path(__file__).resolve().parent
if (here / "libs").is_dir():
    sys.path[:1] = [str(here), str(here / "libs")]

from stepscope.cli import main  # noqa: E402  # the path had to be set first

sys.exit(main())
