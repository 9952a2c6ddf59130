"""Takes the place of the system's first process for what programs leave behind, which a container may not have.

Patroni would otherwise believe that a PostgreSQL that was killed still runs.
"""
import ctypes
import os
import signal

SET_CHILD_SUBREAPER = 36  # Of Linux' prctl.


def run_with_reaper(main):
    """Runs `main` in a child process, waits for it and all orphans, and returns its exit code."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        return main()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: os.kill(child, signal.SIGTERM))
    while True:
        process, status = os.wait()
        if process == child:
            return os.waitstatus_to_exitcode(status) & 255
