"""Runs the tests of this folder, or those that the arguments name, and writes the page of the pictures.

Two programs share the files of tests, because a browser keeps little more than one processor busy."""

import os
import pathlib
import subprocess
import sys
import unittest

from case import GALLERY

# The largest files come first, so that the two end at about the same time.
FILES = sorted(pathlib.Path().glob("test_*.py"), key=lambda file: -file.stat().st_size)
# How many ports a program may use.
PORTS = 200


def run(names):
    """Runs the tests with these names. Returns whether all have passed."""
    outcome = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromNames(names))
    return outcome.wasSuccessful() and outcome.testsRun > 0


def share(number):
    """Starts a program that runs its share of all files."""
    names = [file.stem for index, file in enumerate(FILES) if (index + 1) // 2 % 2 == number]
    port = int(os.environ.get("KITH_PORT", "18500")) + number * PORTS
    return subprocess.Popen([sys.executable, "-B", "run.py", *names], env={**os.environ, "KITH_PORT": str(port)})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        passed = run(sys.argv[1:])
    else:
        GALLERY.clear()
        passed = not any([program.wait() for program in [share(0), share(1)]])
        GALLERY.write()
        if GALLERY.folder:
            print(f"The pictures are in {GALLERY.folder / 'index.html'}")
    sys.exit(0 if passed else 1)
