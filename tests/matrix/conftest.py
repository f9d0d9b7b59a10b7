"""What a test has measured, printed where it ran in another process, too."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if report.when == "call" and name == "measured":
                    terminalreporter.write_line(f"\n{value}")
