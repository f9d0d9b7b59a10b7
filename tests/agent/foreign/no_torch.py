"""Starts the real script as a program of its own; this one never imports torch."""
# fails: no-step
# says: torch
import subprocess
import sys

subprocess.run([sys.executable, "-c", "print('training elsewhere')"], check=True)
