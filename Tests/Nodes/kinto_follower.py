"""A client of Kinto that reads."""

import collections
import time

from connection import Connection

BUCKET = "/v1/buckets/lists"


def path(feed):
    return f"{BUCKET}/collections/{feed}/records"


class KintoFollower:
    """Asks each collection at a node by chance for what has changed since the last answer's `ETag`."""

    def __init__(self, run, name):
        self.run, self.name, self.chance = run, name, run.chance(name)
        self.connection = Connection(run.nodes, Connection.basic("writers"))
        self.since, self.replica = {}, collections.defaultdict(dict)

    def follow(self, until, settled):
        while time.monotonic() < until or not settled.is_set():
            self.read()
            settled.wait(0.02)
        self.read()

    def read(self):
        for feed in self.run.lists:
            start = time.monotonic()
            place = path(feed) + (f"?_since={self.since[feed]}" if feed in self.since else "")
            status, headers, answer = self.connection.ask(
                self.chance.randrange(len(self.run.nodes)), "GET", place)
            if status != 200:
                self.run.ledger.count("refused")
                continue
            self.run.ledger.took("read", time.monotonic() - start)
            self.since[feed] = headers["ETag"].strip('"')
            for record in answer["data"]:
                self.replica[feed].pop(record["id"], None)
                if not record.get("deleted"):
                    self.replica[feed][record["id"]] = (record["last_modified"], {})
