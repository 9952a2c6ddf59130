"""The PostgreSQL of the run, through psql and pgbench."""

import pathlib
import subprocess

# How many commits a transaction with a higher number has overtaken, of how many that were delayed.
OVERTAKEN = """
SELECT count(*) FILTER (WHERE number < highest), count(*) FROM (
    SELECT number::text::bigint AS number, max(number::text::bigint) OVER (
        ORDER BY pg_xact_commit_timestamp(number::xid), number
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
    FROM delays.commits WHERE pg_xact_commit_timestamp(number::xid) IS NOT NULL) AS commits;
"""


class Database:
    """One database of the cluster whose sockets are in a folder."""

    def __init__(self, programs, sockets, name):
        self.programs, self.sockets, self.name = pathlib.Path(programs), sockets, name
        self.psql = self.command("psql") + ["--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--dbname={name}"]

    def command(self, program):
        return [str(self.programs / program), f"--host={self.sockets}", "--username=postgres"]

    def ask(self, sql, **variables):
        """The rows that a script prints, as lists of texts."""
        settings = [f"--set={name}={value}" for name, value in variables.items()]
        done = subprocess.run([*self.psql, "--quiet", "--no-align", "--tuples-only", *settings],
                              input=sql, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"PostgreSQL refused a statement:\n{done.stderr}")
        return [line.split("|") for line in done.stdout.splitlines()]

    def create(self):
        """Creates the database. Before that, it cannot be asked."""
        subprocess.run([*self.command("createdb"), "--template=template0", "--encoding=UTF8", "--locale=C", self.name],
                       check=True)

    def delay(self, table, milliseconds, seed):
        script = pathlib.Path(__file__).with_name("delays.sql").read_text()
        self.ask(script, delayed=table, most=milliseconds / 1e3, seed=seed)

    def forget_commits(self):
        self.ask("TRUNCATE delays.commits;")

    def deadlocks(self):
        """How many transactions PostgreSQL has ended because they waited for each other."""
        return int(self.ask(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{self.name}';")[0][0])

    def overtaken(self):
        """How many commits were overtaken, and how many there were."""
        return [int(number) for number in self.ask(OVERTAKEN)[0]]
