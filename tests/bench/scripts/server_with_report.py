"""The real server whose runs are replaced: any file it profiles costs something on every line.

Every fiftieth line costs enough to be shown, the others next to nothing.
"""

import sys

from stepscope.report.build import build_report
from stepscope.server import build_server, serve_stdio
from tests import factories


def profiled(request, on_progress, on_output, cancel):
    path = str(request.target)
    source = request.target.read_text(encoding="utf-8")
    lines = [
        factories.line(
            number,
            0.29 if number % 50 == 1 else 1e-4,
            file=path,
            ops=(factories.op(), factories.op("aten::relu")),
        )
        for number in range(1, len(source.splitlines()) + 1)
    ]
    info = factories.run_info(target=path)
    profile = factories.profile(lines, run=info, sources={path: source}, memory=None)
    return build_report(profile, [])


if __name__ == "__main__":
    sys.exit(serve_stdio(build_server(profiled)))
