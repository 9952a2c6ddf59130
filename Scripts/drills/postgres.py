"""PostgreSQL in a temporary folder, and a writer that measures how long the database itself is away."""
import functools
import os
import select
import shutil
import signal
import subprocess
import threading
import time

from programs import DrillError, Program, database_user, free_port, own, run, wait_until

SCRIPTS = os.path.join(os.path.dirname(__file__), "..")


@functools.cache
def programs_folder():
    """The folder of PostgreSQL's programs."""
    return run(os.path.join(SCRIPTS, "postgres-programs")).strip()


def create_database(port):
    """Creates the role and the database, as in Operations.md."""
    sql(port, "postgres", "postgres", "CREATE ROLE kith LOGIN")
    sql(port, "postgres", "postgres",
        "CREATE DATABASE kith OWNER kith TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")


def sql(port, user, database, statement):
    """Runs a statement, and returns its rows as text."""
    return run(os.path.join(programs_folder(), "psql"), "--no-psqlrc", "--tuples-only", "--no-align",
               "--set=ON_ERROR_STOP=1", "--host=127.0.0.1", f"--port={port}", f"--username={user}",
               f"--command={statement}", database).strip()


class Postgres(Program):
    """One PostgreSQL server with a database for Kith."""

    def __init__(self, folder):
        self.bin, self.port, self.folder = programs_folder(), free_port(), os.path.join(folder, "postgres")
        arguments = [os.path.join(SCRIPTS, "postgres"), self.bin, self.folder, "-h", "127.0.0.1", "-p", self.port,
                     "-k", ""]
        super().__init__("PostgreSQL", arguments, os.path.join(folder, "postgres.log"))

    def create(self):
        self.start_and_wait()
        create_database(self.port)
        return self

    def start_and_wait(self):
        ready = [os.path.join(self.bin, "pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={self.port}"]

        def is_ready():
            if not self.is_running:
                raise DrillError(f"PostgreSQL has not started: {self.last_lines()}")
            return subprocess.run(ready, check=False).returncode == 0

        self.start()
        wait_until(is_ready, 60, "PostgreSQL is ready")
        return self

    def back_up(self, folder):
        """Makes a base backup."""
        os.makedirs(folder, 0o700)
        own(folder)
        run(os.path.join(self.bin, "pg_basebackup"), "--host=127.0.0.1", f"--port={self.port}", "--username=postgres",
            f"--pgdata={folder}", "--checkpoint=fast", user=database_user(), cwd=self.folder)

    def replace_data(self, backup):
        """Puts a base backup in the place of the data. PostgreSQL must not run."""
        data = os.path.join(self.folder, "data")
        shutil.rmtree(data)
        os.rename(backup, data)

    @property
    def url(self):
        return f"postgres://kith@127.0.0.1:{self.port}/kith"


class PlainWriter(threading.Thread):
    """Inserts rows with psql, one after the other. What it has to wait is the database's own time.

    It uses the address that the nodes use. If psql loses its connection, or waits for two seconds, another is started.
    """
    PATIENCE = 2
    TABLE = "CREATE TABLE plain_write (number bigint GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT now())"

    def __init__(self, url):
        super().__init__(name="psql", daemon=True)
        self.url, self.times, self.is_ending = url, [], threading.Event()

    def run(self):
        command = [os.path.join(programs_folder(), "psql"), "--no-psqlrc", "--set=ON_ERROR_STOP=1", self.url]
        environment = {**os.environ, "PGCONNECT_TIMEOUT": "2", "PGTARGETSESSIONATTRS": "read-write"}
        while not self.is_ending.is_set():
            psql = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    bufsize=0, env=environment)
            try:
                while not self.is_ending.is_set() and self.insert(psql):
                    self.times.append(time.monotonic())
                    self.is_ending.wait(0.01)
            finally:
                self.give_up(psql)
            self.is_ending.wait(0.05)

    def insert(self, psql):
        try:
            psql.stdin.write(b"INSERT INTO plain_write DEFAULT VALUES;\n")
        except OSError:
            return False
        if not select.select([psql.stdout], [], [], self.PATIENCE)[0]:
            return False
        return psql.stdout.read(64).startswith(b"INSERT 0 1")

    @staticmethod
    def give_up(psql):
        """Ends psql, and the wait of its INSERT for a replica: PostgreSQL does not notice that a client has gone."""
        psql.send_signal(signal.SIGINT)
        try:
            psql.communicate(timeout=0.5)
        except subprocess.TimeoutExpired:
            psql.kill()
            psql.communicate()

    def end(self):
        self.is_ending.set()
        self.join(10)
