"""Runs small programs under the line clock, in whatever interpreter this is started with.

``python clock_driver.py AGENT_FOLDER USER_FOLDER < cases.json > results.json``. A case is
``{"name", "source", "set"}``: the source defines ``run(clock)``, and perhaps ``prepare()`` for what
happens before the clock starts. ``set`` replaces constants of the clock. Standard library only.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import threading
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

PACKAGE = "_stepscope_agent"


def load_agent(folder: str) -> None:
    """As ``launch.py`` loads it: by path, under its private name."""
    spec = importlib.util.spec_from_file_location(
        PACKAGE, Path(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)


def part(name: str) -> Any:
    """A module of the agent."""
    return importlib.import_module(f"{PACKAGE}.{name}")


def run_case(case: dict[str, Any], folder: str) -> dict[str, Any]:
    """One program: its events as [time, thread, file, function, its line, line], and its answer."""
    lineclock = part("lineclock")
    clock = lineclock.make_line_clock(part("usercode").UserCode([folder]))
    implementation = sys.modules[type(clock).__module__]
    constants = case.get("set", {})
    kept = {name: getattr(lineclock, name) for name in constants}
    for module in (lineclock, implementation):
        for name, value in constants.items():
            if hasattr(module, name):
                setattr(module, name, value)
    path = Path(folder, case["name"] + ".py")
    path.write_text(case["source"], encoding="utf-8")
    module = ModuleType(case["name"])
    clock.watch_threads()
    exec(compile(case["source"], str(path), "exec"), module.__dict__)
    told = None
    try:
        if case.get("inside"):
            told = module.run(clock)
        else:
            prepared = module.prepare() if hasattr(module, "prepare") else None
            clock.start()
            try:
                told = module.run(prepared)
            finally:
                clock.stop()
    finally:
        for where in (lineclock, implementation):
            for name, value in kept.items():
                if hasattr(where, name):
                    setattr(where, name, value)
        threading.settrace(None)

    def function(code: CodeType) -> list[Any]:
        return [Path(code.co_filename).name, code.co_name, code.co_firstlineno]

    return {
        "events": [
            [when, thread, *function(code), line] for when, thread, code, line in clock.events
        ],
        "bounded": [[*function(code), since] for code, since in clock.bounded.items()],
        "main": threading.get_native_id(),
        "told": told,
    }


def main() -> None:
    """Run every case; print one JSON object."""
    agent, folder = sys.argv[1:]
    load_agent(agent)
    results: dict[str, Any] = {"version": list(sys.version_info[:2])}
    lineclock = part("lineclock")
    clock = lineclock.make_line_clock(part("usercode").UserCode([folder]))
    results["implementation"] = type(clock).__name__
    results["event_cost_ns"] = lineclock.event_cost_ns(clock, folder)
    results["cases"] = {case["name"]: run_case(case, folder) for case in json.load(sys.stdin)}
    json.dump(results, sys.stdout, default=str)


if __name__ == "__main__":
    main()
