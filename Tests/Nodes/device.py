"""A device that follows Documentation/Protocol.md, and checks each answer instead of repairing its replica."""

import base64
import collections
import time
import uuid

from connection import Connection

MASK = (1 << 64) - 1


def new_id(chance):
    """A UUID of version 7: 48 bits of time, then bits of the seed."""
    number = (time.time_ns() // 1_000_000) << 80 | chance.getrandbits(80)
    return str(uuid.UUID(int=number & ~(0xF << 76 | 3 << 62) | 7 << 76 | 2 << 62))


def mix(value):
    z = (value + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def digest_part(record, sequence):
    high, low = divmod(uuid.UUID(record).int, 1 << 64)
    return mix(mix(mix(high) ^ low) ^ sequence)


class Device:
    """One device of an account, with a replica of the feeds that the account can read.

    It never names a feed in `reread`, which would hide what it has missed.
    """

    def __init__(self, nodes, account, chance, ledger, name):
        self.account, self.chance, self.ledger, self.name = account, chance, ledger, name
        self.connection = Connection(nodes, Connection.bearer(account["token"]))
        self.id = new_id(chance)
        self.number, self.hash, self.token, self.epoch = 0, "", None, None
        self.replica = collections.defaultdict(dict)
        self.digests = collections.Counter()
        # The highest sequence that was read of each feed.
        self.sequences = collections.Counter()
        # Whether pages may come: only until the device has read everything once.
        self.is_filled = False
        # Whether the arrival of new items is timed.
        self.is_timed = False

    def any_node(self):
        return self.chance.randrange(len(self.connection.nodes))

    def request(self, mutations=()):
        return {
            "account": self.account["account"], "device": self.id, "token": self.token,
            "acknowledged": {"number": self.number, "hash": self.hash}, "sent": self.number + len(mutations),
            "mutations": list(mutations),
        }

    def read(self, node=None):
        """Rounds without edits, until there is nothing more. Each goes to another node, or all to `node`."""
        # A device that reads everything for the first time gets no tombstones, so it does not know their sequences.
        floor = self.ledger.floor() if self.is_filled else {}
        while True:
            start = time.monotonic()
            status, headers, answer = self.connection.ask(
                self.any_node() if node is None else node, "POST", "/v1/sync", self.request())
            if status in (429, 503):
                self.ledger.count("refused")
                time.sleep(float(headers.get("Retry-After", 1)))
                continue
            if status != 200:
                self.ledger.fault("unexpected", f"{self.name} got {status} for a round: {answer}")
                return
            self.ledger.took("read", time.monotonic() - start)
            if not self.apply(answer):
                break
        for feed, sequence in floor.items():
            if self.sequences[feed] < sequence:
                self.ledger.fault("late", f"{self.name} read {feed} up to {self.sequences[feed]} after {sequence} "
                                          "was acknowledged")

    def apply(self, answer):
        """Applies an answer. Returns whether there is more."""
        if answer["device"] != "recognised" or answer["lost"] or self.epoch not in (None, answer["epoch"]):
            self.ledger.fault("unexpected", f"{self.name}: standing {answer['device']}, lost {answer['lost']}, epoch "
                                            f"{answer['epoch']} after {self.epoch}")
        for outcome in answer["outcomes"]:
            self.ledger.fault("unexpected", f"{self.name}: {outcome}")
        self.token, self.epoch = answer["token"], answer["epoch"]
        self.number, self.hash = answer["acknowledged"]["number"], answer["acknowledged"]["hash"]
        for feed in answer["feeds"]:
            self.lay_feed(feed)
        if not answer["more"]:
            self.is_filled = True
        return answer["more"]

    def lay_feed(self, news):
        feed, page = news["feed"], news.get("page")
        if page:
            if self.is_filled:
                self.ledger.fault("unexpected", f"{self.name} had to read {feed} again")
            self.lay_page(feed, page)
        self.lay_changes(feed, news["changes"])
        if news["isComplete"] and f"{self.digests[feed] & MASK:016x}" != news["digest"]:
            self.ledger.fault("digests", f"{self.name} has another digest of {feed} at {self.sequences[feed]}")

    def lay_changes(self, feed, changes):
        for change in changes:
            # The changes that follow the first pages begin where the pages have begun, which only the token knows.
            if self.is_filled and change["sequence"] <= self.sequences[feed]:
                self.ledger.fault("disordered", f"{self.name} read {change['sequence']} of {feed} after "
                                                f"{self.sequences[feed]}")
            self.sequences[feed] = max(self.sequences[feed], change["sequence"])
            if self.is_timed and change["id"] not in self.replica[feed]:
                self.ledger.arrived(change["id"])
            self.lay(feed, change["id"], change["sequence"], change.get("fields"))

    def lay_page(self, feed, page):
        after, through = page.get("after") or "", page.get("through") or "~"
        for record in [record for record in self.replica[feed] if after < record <= through]:
            self.lay(feed, record, 0, None)
        for columns in page["columns"]:
            ids = base64.b64decode(columns["ids"])
            for index, sequence in enumerate(columns["sequences"]):
                self.lay(feed, str(uuid.UUID(bytes=ids[16 * index : 16 * index + 16])), sequence, {
                    name: column[index] for name, column in columns["fields"].items() if column[index] is not None})
                self.sequences[feed] = max(self.sequences[feed], sequence)

    def lay(self, feed, record, sequence, fields):
        old = self.replica[feed].pop(record, None)
        if old:
            self.digests[feed] -= digest_part(record, old[0])
        if fields is not None:
            self.replica[feed][record] = (sequence, fields)
            self.digests[feed] += digest_part(record, sequence)
