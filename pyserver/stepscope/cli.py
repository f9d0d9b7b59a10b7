"""Placeholder."""


def main() -> int:
    """Placeholder."""
    return 2
