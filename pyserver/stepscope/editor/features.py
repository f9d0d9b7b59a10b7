"""Everything the server can do. A new feature is one file with ``register`` and one entry here."""

from __future__ import annotations

from stepscope.editor import (
    assumptions,
    code_actions,
    code_lens,
    commands,
    configuration,
    fix_and_measure,
    hover,
    inlay_hints,
    lifecycle,
    new_files,
    open_recording,
    publishing,
    report_requests,
)

FEATURES = [
    assumptions,
    code_actions,
    code_lens,
    commands,
    configuration,
    fix_and_measure,
    hover,
    inlay_hints,
    lifecycle,
    new_files,
    open_recording,
    publishing,
    report_requests,
]
