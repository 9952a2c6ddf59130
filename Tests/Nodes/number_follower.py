"""A planted fault: a follower that reads the database in the order of the transaction numbers."""

import collections
import subprocess

from poller import Poller

QUERY = """
SELECT encode(feed, 'hex'), encode(id, 'hex'), sequence, revision, false FROM record WHERE revision > {after}
UNION ALL
SELECT encode(feed, 'hex'), encode(id, 'hex'), sequence, revision, true FROM tombstone WHERE revision > {after};
"""


class NumberFollower(Poller):
    """Asks for the rows after the highest number that it has seen, as many backends do.

    PostgreSQL gives a transaction its number when it begins to write. One that commits later than a transaction with a
    higher number is never read.
    """

    def __init__(self, psql, ledger):
        self.ledger, self.name, self.after = ledger, "the follower by transaction number", 0
        self.replica = collections.defaultdict(dict)
        self.program = subprocess.Popen(
            [*psql, "--no-align", "--tuples-only", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def follow(self, until, settled):
        super().follow(until, settled)
        self.program.stdin.close()
        self.program.wait()

    def read(self):
        self.program.stdin.write(QUERY.format(after=self.after) + "\\echo end\n")
        self.program.stdin.flush()
        for line in iter(self.program.stdout.readline, "end\n"):
            feed, record, sequence, number, is_removed = line.strip().split("|")
            feed, record = dashed(feed), dashed(record)
            self.after = max(self.after, int(number))
            if is_removed == "t":
                self.replica[feed].pop(record, None)
            else:
                self.replica[feed][record] = int(sequence)


def dashed(digits):
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
