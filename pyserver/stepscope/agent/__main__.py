"""``python -m stepscope.agent --out FOLDER train.py``: record without a session, as one of ranks.

The folder that this file is in can be run by its path as well (``torchrun .../agent``): it needs
Python and torch, and nothing else of Stepscope.
"""

import sys

_STARTED_WITH = frozenset(sys.modules)  # before anything of ours is imported

import os  # noqa: E402


def _load():  # type: ignore[no-untyped-def]
    """The agent under its private name, as if it had been started by path."""
    launch = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
    names = {"__name__": "_stepscope_launch", "__file__": launch}
    with open(launch, "rb") as source:
        exec(compile(source.read(), launch, "exec"), names)
    names["STARTED_WITH"] = _STARTED_WITH  # type: ignore[assignment]
    names["load_agent"]()  # type: ignore[operator]
    import _stepscope_agent.standalone as standalone  # type: ignore[import-not-found]

    # The target's ``import stepscope`` must get the marker, whatever it was that started us.
    for name in [name for name in sys.modules if name.partition(".")[0] == "stepscope"]:
        del sys.modules[name]
    return standalone


if __name__ == "__main__":
    if sys.version_info < (3, 10):  # noqa: UP036
        sys.stderr.write("stepscope: recording needs Python 3.10 or newer.\n")
        sys.exit(2)
    _load().run(sys.argv[1:])  # type: ignore[no-untyped-call]
