"""Times the same steps with each instrument, taken in turns in one process: ``overhead.py TURNS``.

Prints ``{instrument: [median ms of each turn]}``. Runs in any interpreter that has torch.
"""

import contextlib
import importlib.util
import json
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = 12  # per turn and instrument


def load_agent():
    """The agent as a package of another name, as its own launcher loads it."""
    folder = HERE.parents[2] / "pyserver" / "stepscope" / "agent"
    spec = importlib.util.spec_from_file_location(
        "_stepscope_agent",
        folder / "__init__.py",
        submodule_search_locations=[str(folder)],
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["_stepscope_agent"] = package
    spec.loader.exec_module(package)


def instruments(torch):
    load_agent()
    from _stepscope_agent.lineclock import make_line_clock
    from _stepscope_agent.profiler import Recording
    from _stepscope_agent.usercode import UserCode

    clock = make_line_clock(UserCode([str(HERE)]))

    @contextlib.contextmanager
    def line_clock():
        clock.start()
        yield
        clock.stop()

    @contextlib.contextmanager
    def mapping_pass():
        recording = Recording(torch, False, detail=False)
        clock.start()
        yield
        clock.stop()
        recording.stop()

    def profiler(**options):
        activities = [torch.profiler.ProfilerActivity.CPU]
        return torch.profiler.profile(activities=activities, **options)

    return {
        "nothing": contextlib.nullcontext,
        "clock": line_clock,
        "profiler": profiler,
        "mapping": mapping_pass,
        "with_stack": lambda: profiler(with_stack=True),
    }


def main(turns):
    import mlp
    import torch

    training = mlp.Training()
    for _ in range(10):
        training.step()
    found = {}
    for _ in range(turns):
        for name, instrument in instruments_in_turn(torch):
            times = []
            with instrument():
                for _ in range(STEPS):
                    start = time.perf_counter()
                    training.step()
                    times.append(time.perf_counter() - start)
            found.setdefault(name, []).append(statistics.median(times[2:]) * 1e3)
    print(json.dumps(found))


def instruments_in_turn(torch, made=[]):  # noqa: B006
    if not made:
        made.extend(instruments(torch).items())
    return made


if __name__ == "__main__":
    main(int(sys.argv[1]))
