"""The part that runs in the user's interpreter: standard library and torch only.

The agent is loaded by path under the private name ``_stepscope_agent`` (see ``launch.py``), so
every import inside it is relative. ``capture.py`` is the one module that the rest of Stepscope
shares.
"""

started_with: frozenset[str] = frozenset()
"""Modules that the interpreter had loaded before the agent; set by ``launch.py``."""
