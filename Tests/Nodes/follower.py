"""A device that reads all the while, and the faults that are planted in it."""

from device import Device
from poller import Poller


class Follower(Poller, Device):
    """Asks a node by chance, again and again.

    `plant` is a fault that the checks must find: “disordered” applies an answer again after the next one, “late”
    applies each answer one round later, and “digests” forgets the last change of each feed in an answer.
    """

    plant = None
    kept = None

    def apply(self, answer):
        if self.plant == "late" and self.is_filled:
            answer, self.kept = self.kept or answer, answer
        has_more = super().apply(answer)
        if self.plant == "disordered":
            for news in self.kept or []:
                super().lay_changes(news["feed"], news["changes"])
            self.kept = [news for news in answer["feeds"] if news["changes"]]
        return has_more

    def lay_changes(self, feed, changes):
        super().lay_changes(feed, changes[:-1] if self.plant == "digests" else changes)
