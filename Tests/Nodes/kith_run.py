"""The load on Kith's nodes, and the judgement."""

import collections
import random

from connection import Connection
from device import Device, new_id
from follower import Follower
from live_follower import LiveFollower
from load_run import LoadRun
from number_follower import NumberFollower
from writer import Writer

# How many lists all writers share, and how many devices each account of writers has.
LISTS, DEVICES = 8, 2


class KithRun(LoadRun):
    """Accounts in shared lists, devices that write and follow, and new devices that read everything in the end."""

    def __init__(self, nodes, database, options, plant=None):
        super().__init__(nodes, database, options)
        self.plant = plant

    # MARK: Before

    def set_up(self):
        chance = self.chance("set-up")
        accounts = [self.new_account() for _ in range(-(-self.options.writers // DEVICES))]
        readers = [self.new_account() for _ in self.nodes for _ in range(2)]
        self.lists = {}
        for number in range(LISTS):
            owner = accounts[number % len(accounts)]
            feed = self.new_list(owner, chance, f"List {number}")
            for accepted, role in ((accounts, "editor"), (readers, "viewer")):
                link = self.ask(owner, "POST", f"/v1/lists/{feed}/links", {"role": role})
                for account in accepted:
                    if account is not owner:
                        self.ask(account, "POST", f"/v1/links/{link['token']}/accept")
        self.writers = [
            Writer(self.nodes, accounts[number // DEVICES], self.chance(f"writer {number}"), self.ledger,
                   f"writer {number}", self.lists, self.pause, self.plant)
            for number in range(self.options.writers)]
        self.followers = []
        for number, account in enumerate(readers):
            name = f"follower {number}"
            if number % 2:
                follower = LiveFollower(
                    self.nodes, account, self.chance(name), self.ledger, name, number // 2 % len(self.nodes))
            else:
                follower = Follower(self.nodes, account, self.chance(name), self.ledger, name)
                follower.plant = self.plant
            self.followers.append(follower)
        for device in self.writers + self.followers:
            device.read()
        self.numbers_before = self.numbers()
        self.initial = self.read_all(Device(self.nodes, readers[0], chance, self.ledger, "the first device"))
        for follower in self.followers:
            if isinstance(follower, LiveFollower):
                follower.listen()
        if self.plant == "missed":
            planted = NumberFollower(self.database.psql, self.ledger)
            planted.read()
            self.followers.append(planted)
        self.readers = readers

    def ask(self, account, method, path, body=None):
        """One request of the preparation, which must succeed."""
        connection = Connection(self.nodes, account and Connection.bearer(account["token"]))
        status, _, answer = connection.ask(random.randrange(len(self.nodes)), method, path, body)
        connection.close()
        if status not in (200, 201, 204):
            raise SystemExit(f"{method} {path} was answered with {status}: {answer}")
        return answer

    def new_account(self):
        return self.ask(None, "POST", "/v1/sessions", {})

    def new_list(self, owner, chance, name):
        feed, item = new_id(chance), new_id(chance)
        device = Device(self.nodes, owner, chance, self.ledger, "the preparation")
        common = {"feed": feed, "seen": 0, "age": 0}
        self.ask(owner, "POST", "/v1/sync", device.request([
            {**common, "id": new_id(chance), "number": 1, "collection": "list", "record": feed, "set": {"name": name}},
            {**common, "id": new_id(chance), "number": 2, "collection": "item", "record": item,
             "set": {"title": "Counted", "position": "a0", "count": 1}}]))
        self.lists[feed] = item
        return feed

    # MARK: After

    def numbers(self):
        """The highest sequence of each list that any device has read."""
        highest = collections.Counter()
        for device in self.writers + self.followers:
            for feed in self.lists:
                if isinstance(device, Device):
                    highest[feed] = max(highest[feed], device.sequences[feed])
        return highest

    def read_all(self, device, node=None):
        device.read(node)
        return {feed: dict(device.replica[feed]) for feed in self.lists}

    def judge(self):
        for writer in self.writers:
            writer.read()
        chance = self.chance("the end")
        finals = []
        for node in range(len(self.nodes)):
            device = Device(self.nodes, self.readers[0], chance, self.ledger, f"a new device at node {node}")
            finals.append(self.read_all(device, node))
        for node, final in enumerate(finals):
            self.ledger.compare(f"a new device at node {node}", final, finals[0])
        self.ledger.judge(self.initial, finals[0], self.numbers_before, self.numbers())
        for device in self.writers + self.followers:
            if isinstance(device, NumberFollower):
                self.compare_numbers(device, finals[0])
            else:
                self.ledger.compare(device.name, device.replica, finals[0])

    def compare_numbers(self, planted, final):
        """The planted follower has no fields, so only sequences are compared."""
        sequences = {feed: {record: (sequence, None) for record, (sequence, _) in records.items()}
                     for feed, records in final.items()}
        replica = {feed: {record: (sequence, None) for record, sequence in records.items()}
                   for feed, records in planted.replica.items()}
        self.ledger.compare(planted.name, replica, sequences)
