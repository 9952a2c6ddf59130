"""The drills in which a server loses what it has acknowledged, and gets it back from the devices (law 11)."""
import json
import os
import re
import time

from load import compare
from nodes import Balancer, Node
from programs import DrillError, Program, database_user, free_port, run, wait_until


class CommandDevice:
    """A device with the SDK: the command line."""

    def __init__(self, kith, folder, server, name):
        self.command = [kith, "--data", os.path.join(folder, name), "--server", server]

    def __call__(self, *arguments):
        return run(*self.command, *arguments)

    def titles(self, name):
        return {item["title"] for item in json.loads(self("--json", "items", name))["items"]}


def titles(text, count):
    return [f"{text} {number}" for number in range(1, count + 1)]


class CommandDevices:
    """Two people with a common list, made before the backup, and their edits after it."""

    def __init__(self, kith, folder, server):
        self.kith, self.folder, self.server = kith, folder, server
        self.phone, self.tablet = (CommandDevice(kith, folder, server, name) for name in ("phone", "tablet"))
        self.phone("lists", "create", "Groceries")
        self.phone("items", "add", "Groceries", *titles("before", 5))
        self.link = re.search(r'https?://[^" ]+', self.phone("lists", "share", "Groceries")).group(0)
        self.tablet("lists", "accept", self.link)

    def write(self):
        """Edits that the server acknowledges."""
        self.phone("items", "add", "Groceries", *titles("phone", 5))
        self.tablet("items", "add", "Groceries", *titles("tablet", 5))
        self.phone("sync")

    def check(self, drill):
        """Syncs twice in turn, and checks that both devices and a new one have everything."""
        for device in (self.phone, self.tablet) * 2:
            device("sync")
        laptop = CommandDevice(self.kith, self.folder, self.server, "laptop")
        laptop("lists", "accept", self.link)
        wanted = {*titles("before", 5), *titles("phone", 5), *titles("tablet", 5)}
        for name, device in (("phone", self.phone), ("tablet", self.tablet), ("new device", laptop)):
            found = device.titles("Groceries")
            drill.say(f"items at the {name}, of the command line", f"{len(found & wanted)} of {len(wanted)}")
            if found != wanted:
                drill.fault(f"the {name} lacks {sorted(wanted - found)} and has {sorted(found - wanted)}")


def report_forgotten(drill, load, node, lost_at):
    """Compares before any device has come back: what has the restored server forgotten?"""
    missing = compare(load, node.address)
    for other in missing.others:
        drill.fault(other)
    if not missing.lost:
        raise DrillError("The restored server has forgotten nothing, so the drill shows nothing")
    seconds = lost_at - min(edit.acknowledged for edit in missing.lost)
    drill.say("acknowledged edits that the backup lacks", f"{len(missing.lost)}, of the last {seconds:.2f} s")
    return missing


def restored(drill):
    """PostgreSQL is lost. A base backup is restored, and the devices send again what was acknowledged after it."""
    postgres = drill.postgres()
    nodes, balancer = drill.nodes(postgres.url, postgres.url)
    load = drill.load(balancer.address)
    people = CommandDevices(drill.kith, drill.folder, balancer.address)
    backup = os.path.join(drill.folder, "backup")
    postgres.back_up(backup)
    people.write()
    load.wait_for(20)
    lost_at = time.monotonic()
    for program in (balancer, postgres, *nodes):
        program.kill()
    postgres.replace_data(backup)
    postgres.start_and_wait()
    nodes[0].start_and_wait("--new-epoch")
    report_forgotten(drill, load, nodes[0], lost_at)
    nodes[1].start_and_wait()
    since = time.monotonic()
    balancer.start()
    load.wait_for(5)
    drill.say("until all devices had sent it again", f"{time.monotonic() - since:.2f} s")
    people.check(drill)
    drill.check(load, nodes)


def pooler_program(drill, postgres):
    """PgBouncer in transaction mode, with few connections."""
    port, name = free_port(), os.path.join(drill.folder, "pgbouncer.ini")
    with open(name, "w", encoding="utf-8") as file:
        file.write(f"[databases]\nkith = user=kith host=127.0.0.1 port={postgres.port}\n[pgbouncer]\n"
                   f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
                   "pool_mode = transaction\ndefault_pool_size = 10\nserver_login_retry = 1\n")
    pooler = drill.use(Program("pgbouncer", ["pgbouncer", name], os.path.join(drill.folder, "pgbouncer.log"),
                               user=database_user(), cwd=drill.folder))
    return pooler, f"postgres://kith@127.0.0.1:{port}/kith"


def pooler(drill):
    """PgBouncer in transaction mode is between. It is killed, then PostgreSQL behind it, then a node."""
    postgres = drill.postgres()
    program, url = pooler_program(drill, postgres)
    program.start()
    options = ("--database-pooler", "on", "--database-listening", postgres.url)
    nodes, balancer = drill.nodes(url, url, options=(options, options))
    load, writer = drill.load(balancer.address), drill.plain_writer(url, postgres.port)

    def killed(victim, restart, what):
        since = time.monotonic()
        victim.kill()
        restart()
        load.wait_for(10)
        drill.pause(load, writer, since, f"{what} killed")

    for _ in range(drill.times or 1):
        killed(program, program.start, "PgBouncer")
        killed(postgres, postgres.start_and_wait, "PostgreSQL")
        killed(nodes[0], nodes[0].start_and_wait, nodes[0].name)
    drill.check(load, nodes)


def litestream(drill):
    """A machine with SQLite is lost. Another one restores what Litestream has copied, and the devices send the rest."""
    program = os.environ.get("KITH_LITESTREAM", "litestream")
    first, second = (os.path.join(drill.folder, name) for name in ("machine-1", "machine-2"))
    for folder in (first, second):
        os.makedirs(folder)
    replica = "file://" + os.path.join(drill.folder, "replica")
    configuration = os.path.join(drill.folder, "litestream.yml")
    with open(configuration, "w", encoding="utf-8") as file:
        json.dump({"dbs": [{"path": os.path.join(first, "server.sqlite"),
                            "replica": {"url": replica, "sync-interval": "1s"}}]}, file)
    port = free_port()
    public = f"http://127.0.0.1:{port}"
    node = drill.use(Node(drill.kith, drill.folder, "machine-1", os.path.join(first, "server.sqlite"), public))
    node.start_and_wait()
    copying = drill.use(Program("litestream", [program, "replicate", "-config", configuration],
                                os.path.join(drill.folder, "litestream.log"))).start()
    balancer = drill.use(Balancer(drill.folder, port, [node])).start_and_wait()
    load = drill.load(balancer.address)
    people = CommandDevices(drill.kith, drill.folder, balancer.address)
    people.write()
    load.wait_for(100)
    wait_until(lambda: copying.is_running, 0, f"Litestream runs; it said: {copying.last_lines()}")
    lost_at = time.monotonic()
    for victim in (node, copying, balancer):
        victim.kill()
    run(program, "restore", "-o", os.path.join(second, "server.sqlite"), replica)
    heir = drill.use(Node(drill.kith, drill.folder, "machine-2", os.path.join(second, "server.sqlite"), public))
    heir.start_and_wait("--new-epoch")
    report_forgotten(drill, load, heir, lost_at)
    since = time.monotonic()
    drill.use(Balancer(drill.folder, port, [heir])).start()
    load.wait_for(5)
    drill.say("until all devices had sent it again", f"{time.monotonic() - since:.2f} s")
    people.check(drill)
    drill.check(load, [heir])
