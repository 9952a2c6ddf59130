"""Runs the tests of this folder, or those that the arguments name, and writes the page of the pictures."""

import sys
import unittest

from case import GALLERY

if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(".", pattern="test_*.py")
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    GALLERY.write()
    if GALLERY.folder:
        print(f"The pictures are in {GALLERY.folder / 'index.html'}")
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
