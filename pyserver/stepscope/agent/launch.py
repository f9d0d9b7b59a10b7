"""Started by path in the user's interpreter: ``python launch.py CONFIG_JSON [target's args]``.

Loads this folder as the package ``_stepscope_agent`` without putting it on ``sys.path``, so the
target can import neither the agent nor, by accident, a module that only looks like its own. Child
processes that start a fresh interpreter run this file for ``load_agent`` alone.
"""

import sys

STARTED_WITH = frozenset(sys.modules)  # before the agent imports anything of its own

import json  # noqa: E402
import os  # noqa: E402


def load_agent():  # type: ignore[no-untyped-def]
    """The agent's main module."""
    # Nothing in this file may be too new for an old Python, which must live to say that it is old.
    import importlib.util

    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "_stepscope_agent",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    package = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules["_stepscope_agent"] = package
    spec.loader.exec_module(package)  # type: ignore[union-attr]
    package.started_with = STARTED_WITH  # type: ignore[attr-defined]
    import _stepscope_agent.main as agent_main  # type: ignore[import-not-found]

    return agent_main


if __name__ == "__main__":
    if sys.version_info < (3, 10):  # noqa: UP036
        # Said on the control pipe by hand: the rest of the agent does not even parse here.
        told = json.dumps({"kind": "old-python", "version": sys.version.split()[0]}) + "\n"
        os.write(json.loads(sys.argv[1])["control"], told.encode("ascii"))
        sys.exit(2)
    load_agent().start(json.loads(sys.argv[1]), sys.argv[2:])  # type: ignore[no-untyped-call]
