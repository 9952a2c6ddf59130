"""A device that reads when its live stream says so."""

import http.client
import queue
import threading
import time

from device import Device
from stream import Stream

# How long a live follower may need, after the last acknowledgement, to know everything. The poll of nodes takes 2 s.
CATCHING_UP = 10


class LiveFollower(Device):
    """Reads only if its live stream at `node` has said that something has moved. The rounds go to any node."""

    def __init__(self, nodes, account, chance, ledger, name, node):
        super().__init__(nodes, account, chance, ledger, name)
        self.node, self.is_timed, self.stream = node, True, None
        self.signals = queue.SimpleQueue()

    def listen(self):
        """Opens the live stream. Its signals go to the queue; None says that it has ended."""
        self.stream = Stream(
            self.connection.nodes[self.node], f"/v1/live?device={self.id}", self.connection.authorization)
        threading.Thread(target=self.hear, daemon=True).start()

    def hear(self):
        try:
            for line in self.stream.lines():
                if line.strip() in (b"event: hello", b"event: moved"):
                    self.signals.put(time.monotonic())
        except (OSError, http.client.HTTPException) as error:
            self.ledger.fault("unexpected", f"{self.name}'s live stream broke: {error}")
        if not self.stream.has_ended:
            self.ledger.fault("unexpected", f"{self.name}'s live stream has ended by itself")
        self.signals.put(None)

    def follow(self, until, settled):
        """Follows until everything that was acknowledged has been read, after `settled` says that no edit follows."""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            if settled.is_set():
                deadline = deadline or time.monotonic() + CATCHING_UP
                if all(self.sequences[feed] >= sequence for feed, sequence in self.ledger.floor().items()):
                    break
            try:
                signal = self.signals.get(timeout=0.2)
                while signal is not None and not self.signals.empty():
                    signal = self.signals.get()
            except queue.Empty:
                continue
            if signal is None:
                break
            self.read()
        else:
            self.ledger.fault("missed", f"{self.name} was told nothing for {CATCHING_UP} s, and lacks edits")
        self.stream.end()
