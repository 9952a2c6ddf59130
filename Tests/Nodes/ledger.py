"""What was acknowledged, and what is wrong with what was read."""

import collections
import statistics
import threading
import time


class Ledger:
    """Collects what writers were told, and what followers find wrong. All threads share it."""

    #: What must not happen. The run fails if one of these counts is not 0.
    FAULTS = {
        "lost": "acknowledged, and not in the final state",
        "doubled": "in the final state more than once",
        "disordered": "out of order within a feed",
        "missed": "in the final state, and never read by a follower",
        "late": "acknowledged before a round began, and not in its answer",
        "digests": "digests that differ from the server's",
        "unexpected": "answers that the protocol does not allow here",
    }

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.remarks = collections.defaultdict(list)
        self.edits = []
        self.floors = collections.Counter()
        self.times = collections.defaultdict(list)
        self.created = {}
        # The records of which a follower has another state than the server.
        self.differing = set()

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def fault(self, what, remark, number=1):
        """Counts a fault, and keeps the first few remarks about its kind."""
        with self.lock:
            self.counts[what] += number
            if len(self.remarks[what]) < 4:
                self.remarks[what].append(remark)

    def took(self, what, seconds):
        with self.lock:
            self.times[what].append(seconds)

    def begin(self, edits):
        """Notes that edits are sent for the first time."""
        now = time.monotonic()
        with self.lock:
            for edit in edits:
                edit.sent, edit.floor = now, self.floors[edit.feed]
                if edit.kind == "create":
                    self.created[edit.record] = edit

    def acknowledge(self, edits, sequences):
        """Notes that edits were acknowledged. `sequences` has the sequence of each record after it, if it is known.

        The edits of one request are in the order in which the device has made them.
        """
        now = time.monotonic()
        highest = {}
        for edit in edits:
            edit.sequence = sequences.get((edit.feed, edit.record))
            if edit.sequence is None:
                continue
            if edit.sequence <= edit.floor:
                self.fault("disordered", f"{edit.kind} {edit.record} got the sequence {edit.sequence} although "
                                         f"{edit.floor} was acknowledged before it was sent")
            # Nobody else changes an item, so its sequence is that of this edit. Counts are changed by everybody.
            if edit.kind != "add":
                if edit.sequence <= highest.get(edit.feed, 0):
                    self.fault("disordered", f"{edit.kind} {edit.record} overtook an earlier edit of its device")
                highest[edit.feed] = edit.sequence
        with self.lock:
            self.edits += edits
            for edit in edits:
                self.counts[edit.kind] += 1
                self.floors[edit.feed] = max(self.floors[edit.feed], edit.sequence or 0)
            self.times["acknowledged"] += [now - edit.sent for edit in edits]

    def floor(self):
        """The highest acknowledged sequence of each feed."""
        with self.lock:
            return dict(self.floors)

    def arrived(self, record):
        """Notes that a follower has read a new item."""
        edit = self.created.get(record)
        if edit:
            self.took("arrived", time.monotonic() - edit.sent)

    # MARK: Judging

    def judge(self, initial, final, numbers_before, numbers_after):
        """Compares the final state with the initial one and what was acknowledged.

        Both states have (sequence, fields) of each live record, by feed and record. Each edit takes exactly one number
        of its feed, so the numbers that the feeds had before and after are compared too.
        """
        removed = {edit.record for edit in self.edits if edit.kind == "remove"}
        sums, numbers = collections.Counter(), collections.Counter()
        for edit in self.edits:
            numbers[edit.feed] += 1
            found = final[edit.feed].get(edit.record)
            if edit.kind == "add":
                sums[edit.feed, edit.record] += edit.amount
            elif edit.kind == "create" and edit.record not in removed:
                if not found:
                    self.fault("lost", f"the item {edit.record} is not there")
                elif edit.sequence is not None and found[0] != edit.sequence:
                    self.fault("doubled", f"the item {edit.record} was taken at {edit.sequence} and {found[0]}")
            elif edit.kind == "remove" and found:
                self.fault("lost", f"the item {edit.record} is there, and its removal was acknowledged")
        for (feed, record), amount in sums.items():
            sequence, fields = final[feed].get(record, (0, {}))
            difference = fields.get("count", 1) - 1 - amount
            if difference < 0:
                self.fault("lost", f"the count {record} lacks {-difference}")
            elif difference > 0:
                self.fault("doubled", f"the count {record} has {difference} too much")
        for feed in final:
            difference = numbers_after[feed] - numbers_before[feed] - numbers[feed]
            if difference < 0:
                self.fault("lost", f"{-difference} edits fewer than acknowledged have a number in {feed}", -difference)
            elif difference > 0:
                self.fault("doubled", f"{difference} edits more than acknowledged have a number in {feed}", difference)
        acknowledged = {edit.record for edit in self.edits}
        for feed, records in final.items():
            for record in records:
                if record not in acknowledged and record not in initial[feed]:
                    self.fault("doubled", f"nobody has acknowledged the item {record}")

    def compare(self, name, replica, final):
        """Compares a follower's replica with the final state. A record that several followers lack counts once."""
        for feed, records in final.items():
            for record in records.keys() | replica.get(feed, {}).keys():
                mine, theirs = replica.get(feed, {}).get(record), records.get(record)
                if mine != theirs:
                    self.differing.add((feed, record))
                    self.fault("missed", f"{name} has {describe(mine)} of {record}, the server {describe(theirs)}", 0)
        self.counts["missed"] = max(self.counts["missed"], len(self.differing))

    @property
    def has_faults(self):
        return any(self.counts[fault] for fault in self.FAULTS)

    def quantiles(self, what):
        """The median and the 99th percentile in milliseconds; nil without enough times."""
        times = self.times[what]
        if len(times) < 100:
            return None
        parts = statistics.quantiles(times, n=100)
        return parts[49] * 1e3, parts[98] * 1e3


def describe(state):
    return f"the sequence {state[0]}" if state else "nothing"
