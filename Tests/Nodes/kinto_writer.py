"""A client of Kinto that writes."""

import http.client
import time

from connection import Connection
from device import new_id
from edit import Edit
from kinto_follower import path
from writer import CUT, LOST, PATIENCE

# The default of Kinto's setting `batch_max_requests`.
MOST_IN_BATCH = 25


class KintoWriter:
    """Sends one edit in each request, or up to 25 in a batch, until each is acknowledged."""

    def __init__(self, run, number):
        self.run, self.ledger, self.chance = run, run.ledger, run.chance(f"writer {number}")
        self.connection = Connection(run.nodes, Connection.basic("writers"))
        self.name, self.items = f"writer {number}", []

    def write(self, until):
        while time.monotonic() < until:
            edits = [self.any_edit() for _ in range(MOST_IN_BATCH if self.run.is_batched else 1)]
            self.ledger.begin(edits)
            self.send(edits)

    def any_edit(self):
        if self.chance.random() < 0.13 and self.items:
            return Edit("remove", *self.items.pop(self.chance.randrange(len(self.items))))
        return Edit("create", self.chance.choice(self.run.lists), new_id(self.chance))

    def request(self, edits):
        """The method, the path and the body of a request with these edits."""
        parts = [(("DELETE" if edit.kind == "remove" else "PUT"), f"{path(edit.feed)}/{edit.record}",
                  None if edit.kind == "remove" else {"data": {"title": self.name}}) for edit in edits]
        if not self.run.is_batched:
            return parts[0]
        return "POST", "/v1/batch", {"requests": [
            {"method": method, "path": place, **({"body": body} if body else {})} for method, place, body in parts]}

    def send(self, edits):
        start = time.monotonic()
        while edits and time.monotonic() < start + PATIENCE:
            method, place, body = self.request(edits)
            node, fate = self.chance.randrange(len(self.run.nodes)), self.chance.random()
            if fate < CUT and body:
                self.connection.cut(node, method, place, body)
                self.ledger.count("repeated")
                continue
            if fate < CUT + LOST:
                self.connection.lose(node, method, place, body, lambda: self.run.pause(self.chance))
                self.ledger.count("repeated")
                continue
            try:
                status, _, answer = self.connection.ask(node, method, place, body)
            except (OSError, http.client.HTTPException):
                self.ledger.count("broken")
                continue
            edits = self.take(edits, status, answer)
        if edits:
            self.ledger.fault("unexpected", f"{self.name} got no acknowledgement in {PATIENCE} seconds")

    def take(self, edits, status, answer):
        """Notes what an answer acknowledges. Returns the edits that must be sent again."""
        answers = [(status, answer)]
        if self.run.is_batched:
            if status != 200:
                self.ledger.count("refused")
                return edits
            answers = [(part["status"], part["body"]) for part in answer["responses"]]
        taken, sequences, rest = [], {}, []
        for edit, (status, body) in zip(edits, answers):
            # A removal that is sent again finds nothing.
            if status in (200, 201) or status == 404 and edit.kind == "remove":
                taken.append(edit)
                if status != 404:
                    sequences[edit.feed, edit.record] = body["data"]["last_modified"]
            else:
                self.ledger.count("refused")
                rest.append(edit)
        self.ledger.acknowledge(taken, sequences)
        self.items += [(edit.feed, edit.record) for edit in taken if edit.kind == "create"]
        return rest
