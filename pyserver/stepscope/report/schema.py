"""Access to the published schema of the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA_PATH = Path(__file__).with_name("report.schema.json")


def load_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that every report follows."""
    schema: dict[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    return schema
