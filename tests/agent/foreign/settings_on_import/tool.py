"""What such a library does: a folder beside the script, with its version and its defaults."""

import json
import pathlib

SCALE = 2.0
folder = pathlib.Path(__file__).parent / ".tool"
folder.mkdir(exist_ok=True)
(folder / "settings.json").write_text(json.dumps({"version": 2, "scale": SCALE}))
(folder / "seen.txt").write_text("imported\n")
