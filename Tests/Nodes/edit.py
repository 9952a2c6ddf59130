"""What a writer sends."""


class Edit:
    """An edit that a writer sends: a new item, the removal of one, or an addition to a count."""

    def __init__(self, kind, feed, record, amount=0):
        self.kind, self.feed, self.record, self.amount = kind, feed, record, amount
        # When it was first sent; the highest sequence of its feed that was acknowledged by then; its own sequence.
        self.sent, self.floor, self.sequence = None, 0, None
