"""Stepscope: what each source line of a PyTorch step costs.

Importing this package loads nothing else. A script may call ``stepscope.step()`` at the end of
each of its steps; outside a profile run that does nothing.
"""

__version__ = "0.1.0"


def step() -> None:
    """Mark the end of one step. Does nothing unless Stepscope is running the script."""
