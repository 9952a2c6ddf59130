"""Programs that a drill starts: each can be killed or frozen with everything that it has started."""
import grp
import os
import pwd
import signal
import socket
import subprocess
import time


class DrillError(Exception):
    """A drill could not be carried out, or has found a fault."""


def free_port():
    """A port that nobody uses now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds, what):
    """Waits until `condition()` is true, and returns its value. After too many seconds the drill fails."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise DrillError(f"After {seconds} s still not: {what}.")
        time.sleep(0.02)


def database_user():
    """The user of PostgreSQL's programs, which do not run as root: None for the user of this script."""
    return "postgres" if os.getuid() == 0 else None


def own(path):
    """Gives a file or a folder to PostgreSQL's user."""
    if database_user():
        os.chown(path, pwd.getpwnam("postgres").pw_uid, grp.getgrnam("postgres").gr_gid)


def run(*arguments, user=None, **options):
    """Runs a command to its end, and returns its output. If it fails, the drill fails with its last lines."""
    done = subprocess.run(
        [str(argument) for argument in arguments], user=user, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, **options)
    if done.returncode != 0:
        raise DrillError(f"{' '.join(map(str, arguments))} has failed: {done.stdout.strip()[-600:]}")
    return done.stdout


def family_of(process):
    """The process and all its descendants. PostgreSQL's processes are in no common group."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # It has ended.
            children.setdefault(parent, []).append(int(entry))
    family, waiting = [], [process]
    while waiting:
        family.append(waiting.pop())
        waiting += children.get(family[-1], [])
    return family


def signal_all(processes, number):
    """Sends a signal to the processes that still exist."""
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Program:
    """A program that runs beside the drill, with its output in a file."""

    def __init__(self, name, arguments, log, user=None, cwd=None, env=None):
        self.name, self.arguments, self.log = name, [str(argument) for argument in arguments], log
        self.user, self.cwd, self.env, self.process = user, cwd, env, None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=self.user, cwd=self.cwd,
                env={**os.environ, **(self.env or {})}, start_new_session=True)
        return self

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def family(self):
        """The processes that belong to the program."""
        return family_of(self.process.pid) if self.is_running else []

    def kill(self):
        """Kills the program and all that it has started, as when its machine loses power."""
        self.freeze()  # So that nothing starts or cleans up in between.
        signal_all(self.family(), signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def freeze(self):
        signal_all(self.family(), signal.SIGSTOP)

    def wake(self):
        signal_all(self.family(), signal.SIGCONT)

    def last_lines(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return "".join(file.readlines()[-8:])
        except OSError:
            return ""
