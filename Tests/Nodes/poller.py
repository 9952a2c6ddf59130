"""What followers without a live stream have in common."""

import time


class Poller:
    """Reads again and again while others write, and once more when everything is settled."""

    def follow(self, until, settled):
        while time.monotonic() < until or not settled.is_set():
            self.read()
            settled.wait(0.02)
        self.read()
