"""Devices that write all the time, and the check that the server has each of their edits exactly once.

Each device is the client of Examples/python-client. It does only what the protocol says: after an error it waits and
sends the same request again.
"""
import collections
import os
import random
import threading
import time

from kith_client import Client, Offline, Problem, new_id
from programs import DrillError

# The answers after which a device tries again (Protocol.md, Errors).
PASSING = {408, 429, 500, 502, 503, 504}
# The pauses between two attempts, in seconds. `Retry-After` can make them longer.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
# How long a request, some edits of all devices, and the last edit of a device may take, in seconds.
REQUEST_TIME, EDITING_TIME, ENDING_TIME = 180, 150, 240
# How many accounts there are, and how many devices each of them has.
ACCOUNTS, DEVICES = 2, 4


def longest_gap(times, since, until):
    """The longest part of the time between `since` and `until` without any of the `times`."""
    points = [since, *sorted(moment for moment in times if since < moment < until), until]
    return max(after - before for before, after in zip(points, points[1:]))


def try_until_done(action, on_failure=None):
    """Repeats a request as a device does, and returns its result."""
    end, pause = time.monotonic() + REQUEST_TIME, FIRST_PAUSE
    while True:
        try:
            return action()
        except (Offline, Problem) as error:
            status = error.status if isinstance(error, Problem) else None
            if status is not None and status not in PASSING:
                raise DrillError(f"The server refuses a request that is right: {error}") from error
            if on_failure:
                on_failure(status)
            if time.monotonic() > end:
                raise DrillError(f"The server did not recover within {REQUEST_TIME} s: {error}") from error
            wait = error.retry_after if isinstance(error, Problem) and error.retry_after else 0
            time.sleep(max(pause * random.uniform(0.5, 1), wait))
            pause = min(LONGEST_PAUSE, pause * 2)


class Account:
    """An account with one list, which all its devices write to."""

    def __init__(self, server, folder, name):
        self.server, self.folder, self.name = server, folder, name
        client = self.client(f"{name}-first")
        try_until_done(client.open_session)
        self.session = {key: client.get(key) for key in ("account", "session", "home")}
        self.list = client.add_list(f"The list of {name}")
        try_until_done(client.sync)
        client.db.close()

    def client(self, name, server=None):
        """A new device. It must be used on one thread."""
        client = Client(server or self.server, os.path.join(self.folder, f"{name}.sqlite"))
        client.db.execute("PRAGMA synchronous = OFF")  # The devices never lose power, and share a disk with the server.
        if hasattr(self, "session"):
            with client.db:
                client.put(**self.session)
        return client


class Edit:
    """An item that a device has added, and when the server has acknowledged it."""

    def __init__(self, record, title, acknowledged):
        self.record, self.title, self.acknowledged = record, title, acknowledged


class Device(threading.Thread):
    """Adds an item and 1 to a counter in each request, until it is told to end or to pause."""

    def __init__(self, account, name):
        super().__init__(name=name, daemon=True)
        self.account, self.label = account, name
        self.edits, self.failures, self.error = [], collections.Counter(), None
        self.counter, self.rejected = new_id(), 0
        self.is_ending = threading.Event()

    def run(self):
        try:
            client = self.account.client(self.label)
            client.edit(self.account.list, "item", self.counter,
                        set={"title": f"counter of {self.label}", "position": "a0", "count": 1})
            self.send(client)
            while not self.is_ending.is_set():
                self.write(client)
            # Sends again what a restored server has forgotten since.
            self.send(client)
            self.rejected = len(client.rejections())
            client.db.close()
        except Exception as error:  # Whatever it is, the drill reports it and fails.
            self.error = error

    def write(self, client):
        record, title = new_id(), f"{self.label} {len(self.edits) + 1}"
        client.edit(self.account.list, "item", record, set={"title": title, "position": "a1"})
        client.edit(self.account.list, "item", self.counter, add={"count": 1})
        self.send(client)
        self.edits.append(Edit(record, title, time.monotonic()))

    def send(self, client):
        number = client.get("sent")

        def attempt():
            try:
                client.sync()
            except Offline:
                # The edits were taken if a later round of the same exchange has failed.
                if client.get("acknowledged")["number"] < number:
                    raise

        try_until_done(attempt, on_failure=lambda status: self.failures.update([status or "no answer"]))


class Load:
    """Several accounts with several devices each, which all write at the same time."""

    def __init__(self, server, folder):
        os.makedirs(folder, exist_ok=True)
        self.accounts = [Account(server, folder, f"account-{number}") for number in range(1, ACCOUNTS + 1)]
        self.devices = [Device(account, f"{account.name}-device-{number}")
                        for account in self.accounts for number in range(1, DEVICES + 1)]

    def start(self):
        for device in self.devices:
            device.start()
        self.wait_for(10)
        return self

    def check(self):
        for device in self.devices:
            if device.error:
                raise DrillError(f"{device.label}: {device.error}")

    def wait_for(self, count):
        """Waits until each device has made this number of further edits."""
        wanted = [(device, len(device.edits) + count) for device in self.devices]
        end = time.monotonic() + EDITING_TIME
        while any(len(device.edits) < number for device, number in wanted):
            self.check()
            if time.monotonic() > end:
                raise DrillError(f"A device made fewer than {count} edits in {EDITING_TIME} s.")
            time.sleep(0.02)

    def times(self):
        return [edit.acknowledged for device in self.devices for edit in list(device.edits)]

    def acknowledged(self):
        return sum(len(device.edits) for device in self.devices)

    def failures(self):
        return sum((device.failures for device in self.devices), collections.Counter())

    def slowest(self, since, until):
        """The longest time that one device has waited."""
        return max(longest_gap([edit.acknowledged for edit in list(device.edits)], since, until)
                   for device in self.devices)

    def end(self):
        """Lets each device finish its edit."""
        for device in self.devices:
            device.is_ending.set()
        for device in self.devices:
            device.join(ENDING_TIME)
            if device.is_alive():
                raise DrillError(f"{device.label} could not finish within {ENDING_TIME} s.")
        self.check()


class Missing:
    """What a server lacks of what it has acknowledged, and what it has too often."""

    def __init__(self, lost, doubled, others):
        self.lost, self.doubled, self.others = lost, doubled, others


def compare(load, server):
    """Reads all lists as new devices, and compares them with what the devices have sent."""
    lost, doubled, others = [], 0, []
    for account in load.accounts:
        client = account.client(f"reader-{new_id()}", server)
        try_until_done(client.sync)
        items = client.records(account.list, "item")
        if client.get("reread"):
            others.append(f"the digest of {account.name}'s list is not that of its records")
        expected = 0
        for device in load.devices:
            if device.account is not account:
                continue
            expected += len(device.edits) + 1
            missing = [edit for edit in device.edits if items.get(edit.record, {}).get("title") != edit.title]
            lost += missing
            counted = items.get(device.counter, {}).get("count", 1) - 1
            kept = len(device.edits) - len(missing)
            doubled += max(0, counted - len(device.edits))
            if counted < kept:
                others.append(f"{device.label} added {kept} to its counter, which shows {counted}")
            if device.rejected:
                others.append(f"{device.rejected} edits of {device.label} were rejected")
        if len(items) > expected:
            others.append(f"{len(items) - expected} items that nobody has added")
        client.db.close()
    return Missing(lost, doubled, others)
