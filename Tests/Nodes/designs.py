"""Five ways to number changes in PostgreSQL, each with a follower that reads what is after its cursor.

A fifth of the transactions waits for 2 ms before its commit. pgbench writes, and a procedure follows.
"""

import pathlib
import re
import subprocess
import tempfile

# The name, the follower's way, and the number of feeds; 0 stands for a sequence of the database.
DESIGNS = [
    ("nextval, cursor by sequence", "sequence", 0),
    ("xmin gate, cursor by sequence", "gate", 0),
    ("xmin gate, cursor by (transaction, sequence)", "number", 0),
    ("counter row of the feed, one feed", "feed", 1),
    ("counter row of the feed, 1,000 feeds", "feed", 1_000),
]
BY_SEQUENCE = """BEGIN;
INSERT INTO designs.record (feed, sequence, content) VALUES (1, nextval('designs.counter'), repeat('x', 200));
{pause}COMMIT;
"""
BY_FEED = """\\set feed random(1, {feeds})
BEGIN;
WITH moved AS (UPDATE designs.feed SET sequence = sequence + 1 WHERE id = :feed RETURNING id, sequence)
INSERT INTO designs.record (feed, sequence, content) SELECT id, sequence, repeat('x', 200) FROM moved;
{pause}COMMIT;
"""


def compare(database, options):
    """Yields the name of each design, its commits per second, and how many of how many rows its follower missed."""
    database.ask(pathlib.Path(__file__).with_name("designs.sql").read_text())
    for name, way, feeds in DESIGNS:
        database.ask(f"SELECT designs.empty({feeds});")
        follower = subprocess.Popen([*database.psql, "--quiet", f"--command=CALL designs.follow('{way}')"])
        rate = write(database, feeds, options)
        database.ask("UPDATE designs.outcome SET is_ended = true;")
        if follower.wait():
            raise SystemExit("The follower of a design has failed.")
        rows, read = (int(number) for number in database.ask(
            "SELECT (SELECT count(*) FROM designs.record), rows_read FROM designs.outcome;")[0])
        yield name, rate, rows - read, rows


def write(database, feeds, options):
    """Lets pgbench write, four times in five without a pause. Returns the commits per second."""
    template = BY_FEED if feeds else BY_SEQUENCE
    with tempfile.TemporaryDirectory() as folder:
        for name, pause in (("quick", ""), ("slow", "SELECT pg_sleep(0.002);\n")):
            pathlib.Path(folder, name).write_text(template.format(pause=pause, feeds=feeds))
        done = subprocess.run(
            [*database.command("pgbench"), "--no-vacuum", "--protocol=prepared", f"--client={options.writers}",
             "--jobs=2", f"--time={options.seconds}", f"--random-seed={options.seed}",
             f"--file={folder}/quick@4", f"--file={folder}/slow@1", database.name],
            capture_output=True, text=True)
    rate = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    if done.returncode or not rate:
        raise SystemExit(f"pgbench has failed:\n{done.stderr}")
    return float(rate.group(1))
