"""A device that edits shared lists without a pause, while some of its requests and answers are lost."""

import http.client
import time

from device import Device, new_id
from edit import Edit

# The part of the requests that is cut off in the middle, and the part whose answer is lost.
CUT, LOST = 0.05, 0.12
# How long an edit may stay without an acknowledgement, in seconds.
PATIENCE = 60


class Writer(Device):
    """Sends one to three edits in each request, to a node by chance, until they are acknowledged.

    `lists` has the count item of each list. `plant` is a fault that the checks must find:
    “doubled” sends edits as a new device if the answer was lost, and “lost” takes edits for acknowledged once it has
    begun to send them.
    """

    def __init__(self, nodes, account, chance, ledger, name, lists, pause, plant=None):
        super().__init__(nodes, account, chance, ledger, name)
        self.lists, self.pause, self.plant = lists, pause, plant
        # The acknowledged items of this device, which only it removes.
        self.items = []

    def write(self, until):
        while time.monotonic() < until:
            edits = [self.any_edit() for _ in range(self.chance.randint(1, 3))]
            self.ledger.begin(edits)
            self.send(edits)

    def any_edit(self):
        kind, feed = self.chance.random(), self.chance.choice(list(self.lists))
        if kind < 0.25:
            return Edit("add", feed, self.lists[feed], self.chance.randint(1, 9_999))
        if kind < 0.35 and self.items:
            return Edit("remove", *self.items.pop(self.chance.randrange(len(self.items))))
        return Edit("create", feed, new_id(self.chance))

    def mutations(self, edits, start):
        made = []
        for edit in edits:
            mutation = {"id": new_id(self.chance), "number": self.number + len(made) + 1, "feed": edit.feed,
                        "collection": "item", "record": edit.record, "seen": 0,
                        "age": int((time.monotonic() - start) * 1e3)}
            if edit.kind == "add":
                mutation["add"] = {"count": edit.amount}
            elif edit.kind == "remove":
                mutation.update(delete=True, seen=edit.floor)
            else:
                mutation["set"] = {"title": f"{self.name}, {mutation['number']}", "position": "a0"}
            made.append(mutation)
        return made

    def send(self, edits):
        """Sends edits until they are acknowledged: the same request again, to any node, if there was no answer."""
        start, request = time.monotonic(), None
        while time.monotonic() < start + PATIENCE:
            request = request or self.request(self.mutations(edits, start))
            for mutation in request["mutations"]:
                mutation["age"] = int((time.monotonic() - start) * 1e3)
            node, fate = self.any_node(), self.chance.random()
            if fate < CUT:
                self.connection.cut(node, "POST", "/v1/sync", request)
                self.ledger.count("repeated")
                if self.plant == "lost":
                    self.ledger.acknowledge(edits, {})
                    return
                continue
            if fate < CUT + LOST:
                self.connection.lose(node, "POST", "/v1/sync", request, lambda: self.pause(self.chance))
                self.ledger.count("repeated")
                if self.plant == "doubled":
                    self.id, self.number, self.hash, request = new_id(self.chance), 0, "", None
                continue
            try:
                status, headers, answer = self.connection.ask(node, "POST", "/v1/sync", request)
            except (OSError, http.client.HTTPException):
                self.ledger.count("broken")
                continue
            if status in (429, 503):
                self.ledger.count("refused")
                time.sleep(float(headers.get("Retry-After", 1)))
                continue
            if status != 200 or answer["acknowledged"]["number"] < self.number + len(edits):
                self.ledger.fault("unexpected", f"{self.name} got {status} for edits: {answer}")
                return
            sequences = {(named["feed"], named["change"]["id"]): named["change"]["sequence"]
                         for named in answer["records"]}
            self.ledger.acknowledge(edits, sequences)
            self.items += [(edit.feed, edit.record) for edit in edits if edit.kind == "create"]
            if self.apply(answer):
                self.read()
            return
        self.ledger.fault("unexpected", f"{self.name} got no acknowledgement in {PATIENCE} seconds")
