"""The same load on Kinto, and the same judgement."""

from connection import Connection
from kinto_follower import BUCKET, KintoFollower
from kinto_writer import KintoWriter
from kith_run import LISTS
from load_run import LoadRun


class KintoRun(LoadRun):
    """New items and removals in collections, with single requests or with batches."""

    def __init__(self, nodes, database, options, is_batched):
        super().__init__(nodes, database, options)
        self.is_batched = is_batched
        self.lists = [f"list-{'batch' if is_batched else 'single'}-{number}" for number in range(LISTS)]

    def set_up(self):
        connection = Connection(self.nodes, Connection.basic("writers"))
        for place in [BUCKET] + [f"{BUCKET}/collections/{feed}" for feed in self.lists]:
            status, _, answer = connection.ask(0, "PUT", place, {"data": {}})
            if status not in (200, 201):
                raise SystemExit(f"Kinto answered {place} with {status}: {answer}")
        self.followers = [KintoFollower(self, f"follower {number}") for number in range(2 * len(self.nodes))]
        self.writers = [KintoWriter(self, number) for number in range(self.options.writers)]
        for follower in self.followers:
            follower.read()

    def judge(self):
        last = KintoFollower(self, "a new device")
        last.read()
        final = {feed: last.replica[feed] for feed in self.lists}
        removed = {edit.record for edit in self.ledger.edits if edit.kind == "remove"}
        for edit in self.ledger.edits:
            if edit.kind == "create" and edit.record not in removed and edit.record not in final[edit.feed]:
                self.ledger.fault("lost", f"the item {edit.record} is not there")
            elif edit.kind == "remove" and edit.record in final[edit.feed]:
                self.ledger.fault("lost", f"the item {edit.record} is there, and its removal was acknowledged")
        for follower in self.followers:
            self.ledger.compare(follower.name, follower.replica, final)
