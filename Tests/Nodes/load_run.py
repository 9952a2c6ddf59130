"""What the load on Kith and the load on Kinto have in common."""

import random
import threading
import time

from ledger import Ledger


class LoadRun:
    """One run: writers write for some seconds while followers read, then everything is judged."""

    def __init__(self, nodes, database, options):
        self.nodes, self.database, self.options = nodes, database, options
        self.ledger, self.settled = Ledger(), threading.Event()
        self.writers, self.followers = [], []
        # How many commits were overtaken by one with a higher transaction number, and how many there were.
        self.overtaken = self.commits = 0
        # How long the writers needed.
        self.seconds = 0

    def chance(self, name):
        return random.Random(f"{self.options.seed} {name}")

    def pause(self, chance):
        """Waits for as long as a commit may take, so that a lost answer is lost before or after the commit."""
        time.sleep(chance.random() * self.options.delay / 1e3)

    def measure(self):
        """Runs the load. Returns the ledger with everything that was found."""
        self.set_up()
        self.database.forget_commits()
        start = time.monotonic()
        until = start + self.options.seconds
        writing = [self.start(writer.write, until) for writer in self.writers]
        following = [self.start(follower.follow, until, self.settled) for follower in self.followers]
        for thread in writing:
            thread.join()
        self.seconds = time.monotonic() - start
        self.settled.set()
        for thread in following:
            thread.join()
        self.judge()
        self.overtaken, self.commits = self.database.overtaken()
        return self.ledger

    def start(self, work, *arguments):
        """Starts a thread, whose error fails the run."""
        def guarded():
            try:
                work(*arguments)
            except Exception as error:
                self.ledger.fault("unexpected", f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        return thread
