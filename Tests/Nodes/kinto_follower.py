"""A client of Kinto that reads."""

import collections
import time

from connection import Connection
from poller import Poller

BUCKET = "/v1/buckets/lists"


def path(feed):
    return f"{BUCKET}/collections/{feed}/records"


class KintoFollower(Poller):
    """Asks each collection at a node by chance for what has changed since the last answer's `ETag`."""

    def __init__(self, run, name):
        self.run, self.name, self.chance = run, name, run.chance(name)
        self.connection = Connection(run.nodes, Connection.basic("writers"))
        self.since, self.replica = {}, collections.defaultdict(dict)

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
