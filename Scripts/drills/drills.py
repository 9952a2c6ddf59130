"""The failure drills: see “Scripts/drill --help”."""
import argparse
import contextlib
import functools
import os
import shutil
import signal
import sys
import tempfile
import time

from cluster import Cluster
from cutter import Cutter
from load import Load, compare, longest_gap
from nodes import Balancer, Node
from postgres import PlainWriter, Postgres, programs_folder, sql
from programs import DrillError, free_port, run, signal_all, wait_until
from reaper import run_with_reaper
from restores import litestream, pooler, restored

# How much longer than the database itself the service may be away, in seconds.
ALLOWANCE = 2
# How long PostgreSQL keeps the locks of a server that hangs in a transaction: PostgresSettings.idleTime.
HELD = 3


class Drill:
    """A temporary folder, the programs in it, and the report."""

    def __init__(self, name, kith, options):
        self.name, self.kith = name, kith
        self.times, self.members = options.times, options.members
        self.is_frozen, self.is_planted = options.frozen, options.plant
        self.folder = tempfile.mkdtemp(prefix=f"kith-{name}-")
        os.chmod(self.folder, 0o755)  # PostgreSQL runs as another user.
        self.stack, self.faults, self.begun = contextlib.ExitStack(), [], time.monotonic()

    def __enter__(self):
        print(f"=== {self.name}", flush=True)
        return self

    def __exit__(self, kind, error, trace):
        if error is not None or self.faults:
            for entry in sorted(os.listdir(self.folder)):
                if entry.endswith(".log"):
                    with open(os.path.join(self.folder, entry), encoding="utf-8", errors="replace") as file:
                        print(f"--- {entry}\n" + "".join(file.readlines()[-12:]), file=sys.stderr)
        self.stack.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def say(self, what, value):
        print(f"  {what:<44} {value}", flush=True)

    def fault(self, sentence):
        self.faults.append(sentence)
        print(f"  FAILED: {sentence}", flush=True)

    def use(self, program):
        """Kills the program at the end of the drill."""
        self.stack.callback(program.kill)
        return program

    # MARK: What most drills have

    def postgres(self):
        return self.use(Postgres(self.folder)).create()

    def nodes(self, *databases, options=((), ())):
        """Two nodes and the load balancer in front of them."""
        port = free_port()
        public = f"http://127.0.0.1:{port}"
        names = ("node-a", "node-b")
        found = [self.use(Node(self.kith, self.folder, name, database, public, more))
                 for name, database, more in zip(names, databases, options)]
        for node in found:
            node.start_and_wait()
        return found, self.use(Balancer(self.folder, port, found)).start_and_wait()

    def load(self, address):
        load = Load(address, os.path.join(self.folder, "devices"))
        self.stack.callback(lambda: [device.is_ending.set() for device in load.devices])
        return load.start()

    def plain_writer(self, url, port):
        """psql at the address of the nodes. At the port, PostgreSQL creates its table."""
        writer = PlainWriter(url)
        sql(port, "kith", "kith", writer.TABLE)
        self.stack.callback(writer.end)
        writer.start()
        wait_until(lambda: writer.times, 10, "psql writes")
        return writer

    @staticmethod
    def plant(load, node):
        """Lets PostgreSQL lose an edit and count another one twice. A drill that does not see it is worth nothing."""
        loser, other = load.devices[:2]
        lost, counter = (record.replace("-", "") for record in (loser.edits[-1].record, other.counter))
        count = len(other.edits) + 1
        run(os.path.join(programs_folder(), "psql"), "--no-psqlrc", "--set=ON_ERROR_STOP=1", node.database,
            f"--command=DELETE FROM record WHERE id = '\\x{lost}'",
            f"--command=UPDATE record SET fields = replace(fields, '\"count\":{count}', '\"count\":{count + 1}') "
            f"WHERE id = '\\x{counter}'")

    # MARK: The report

    def check(self, load, servers):
        """Lets the devices finish, and compares what each server has with what was acknowledged."""
        load.end()
        if self.is_planted:
            self.plant(load, servers[0])
        self.say("edits acknowledged", f"{load.acknowledged():,} by {len(load.devices)} devices")
        for server in servers:
            missing = compare(load, server.address)
            self.say(f"at {server.name}: lost, twice", f"{len(missing.lost)}, {missing.doubled}")
            if self.is_planted:
                if (len(missing.lost), missing.doubled) != (1, 1):
                    self.fault("the check has not seen that one edit was lost and one counted twice")
                continue
            if missing.lost:
                self.fault(f"{server.name} lacks {len(missing.lost)} acknowledged edits")
            if missing.doubled:
                self.fault(f"{server.name} has counted {missing.doubled} edits twice")
            for other in missing.others:
                self.fault(f"{server.name}: {other}")
        repeated = ", ".join(f"{name} ×{count}" for name, count in sorted(load.failures().items(), key=str))
        self.say("answers after which devices tried again", repeated or "none")

    def pause(self, load, writer, since, what, held=0):
        """Compares the time without an acknowledged edit with the database's own time: that of psql, or the seconds for
        which it keeps the rows of a server that does not answer."""
        until = time.monotonic()
        service, own = longest_gap(load.times(), since, until), longest_gap(writer.times, since, until)
        self.say(what, f"{service:.2f} s without an edit; the database {own:.2f} s; "
                       f"the slowest device {load.slowest(since, until):.2f} s")
        own = max(own, held)
        if service > own + ALLOWANCE:
            self.fault(f"the service was away {service - own:.2f} s longer than the database ({ALLOWANCE} s allowed)")


def node_killed(drill):
    """Each node is killed (SIGKILL) under load, and started again."""
    postgres = drill.postgres()
    nodes, balancer = drill.nodes(postgres.url, postgres.url)
    load, writer = drill.load(balancer.address), drill.plain_writer(postgres.url, postgres.port)
    for turn in range(drill.times or 4):
        node, since = nodes[turn % 2], time.monotonic()
        node.kill()
        load.wait_for(10)
        drill.pause(load, writer, since, f"{node.name} killed")
        node.start_and_wait()
        load.wait_for(5)
    drill.check(load, nodes)


def node_frozen(drill):
    """Each node is frozen (SIGSTOP) under load, and woken after all devices have written at the other one."""
    postgres = drill.postgres()
    nodes, balancer = drill.nodes(postgres.url, postgres.url)
    load, writer = drill.load(balancer.address), drill.plain_writer(postgres.url, postgres.port)
    for turn in range(drill.times or 4):
        node, since = nodes[turn % 2], time.monotonic()
        node.freeze()
        load.wait_for(10)
        drill.pause(load, writer, since, f"{node.name} frozen for {time.monotonic() - since:.0f} s",
                    held=HELD)
        since = time.monotonic()
        node.wake()
        wait_until(lambda: node.is_ready, 30, f"{node.name} is ready after it was woken")
        load.wait_for(10)
        drill.pause(load, writer, since, f"{node.name} woken")
    drill.check(load, nodes)


def postgres_killed(drill):
    """PostgreSQL is killed (SIGKILL) under load, and started again: at once, or after some seconds."""
    postgres = drill.postgres()
    nodes, balancer = drill.nodes(postgres.url, postgres.url)
    load, writer = drill.load(balancer.address), drill.plain_writer(postgres.url, postgres.port)
    for turn in range(drill.times or 4):
        since = time.monotonic()
        postgres.kill()
        away = (0, 8)[turn % 2]  # The time of the outage is what is tested.
        time.sleep(away)
        postgres.start_and_wait()
        load.wait_for(10)
        drill.pause(load, writer, since, f"PostgreSQL killed, and started after {away} s")
    drill.check(load, nodes)


def connection_cut(drill):
    """The connection of a node is cut in the middle of commits: before PostgreSQL has got them, and before its answer
    has arrived."""
    postgres = drill.postgres()
    cutter = Cutter(postgres.port)
    drill.stack.callback(cutter.close)
    nodes, balancer = drill.nodes(f"postgres://kith@127.0.0.1:{cutter.port}/kith?sslmode=disable", postgres.url)
    load, writer = drill.load(balancer.address), drill.plain_writer(postgres.url, postgres.port)
    since, wanted = time.monotonic(), drill.times or 40
    cutter.is_cutting = True

    def is_done():
        load.check()
        return min(cutter.before, cutter.after) >= wanted

    wait_until(is_done, 120, f"{wanted} commits of each kind were cut")
    cutter.is_cutting = False
    load.wait_for(10)
    drill.say("commits cut", f"{cutter.before} before PostgreSQL had them, {cutter.after} before their answer arrived")
    drill.pause(load, writer, since, "all in all")
    drill.check(load, nodes)


def failover(drill):
    """The primary of a Patroni cluster fails under load: in turn its PostgreSQL and the whole machine die, or the machine
    hangs. It comes back as a replica: after others have written if there are three members, but before that if there are
    two, because commits wait for a replica."""
    cluster = Cluster(drill.folder, drill.use, drill.members).create()
    nodes, balancer = drill.nodes(cluster.url, cluster.url)
    load, writer = drill.load(balancer.address), drill.plain_writer(cluster.url, cluster.primary.port)
    for turn in range(drill.times or 4):
        old, since = cluster.primary, time.monotonic()
        others = [member for member in cluster.members if member is not old]
        if drill.is_frozen:
            what, fail, return_again = "machine frozen and woken", old.freeze, old.wake
        elif turn % 2:
            what, fail, return_again = "machine killed", old.kill, old.start
        else:
            what, return_again = "PostgreSQL killed", lambda: None
            fail = functools.partial(signal_all, old.database_family(), signal.SIGKILL)
        fail()
        wait_until(lambda: any(member.answers("/primary") for member in others), 90, "another member is the primary")
        if len(others) == 1:
            return_again()
        load.wait_for(10)
        drill.pause(load, writer, since, f"{turn + 1}: {old.name}, {what}")
        if len(others) > 1:
            return_again()
        cluster.wait_until_whole()
        load.wait_for(5)
    drill.check(load, nodes)


DRILLS = {
    "node-killed": node_killed,
    "node-frozen": node_frozen,
    "postgres-killed": postgres_killed,
    "connection-cut": connection_cut,
    "failover": failover,
    "restored": restored,
    "pooler": pooler,
    "litestream": litestream,
}


def main():
    parser = argparse.ArgumentParser(prog="Scripts/drill", add_help=False)
    parser.add_argument("kith")
    parser.add_argument("drills", nargs="+", choices=[*DRILLS, "all"])
    parser.add_argument("--times", type=int)
    parser.add_argument("--members", type=int, choices=(2, 3), default=2)
    parser.add_argument("--frozen", action="store_true")
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # So that all programs are ended.
    names = list(DRILLS) if "all" in arguments.drills else arguments.drills
    failed = []
    for name in names:
        with Drill(name, os.path.abspath(arguments.kith), arguments) as drill:
            try:
                DRILLS[name](drill)
            except DrillError as error:
                drill.fault(str(error))
            drill.say("took", f"{time.monotonic() - drill.begun:.0f} s")
        failed += [name] if drill.faults else []
    which = f": {', '.join(failed)}" if failed else ""
    print(f"{len(names) - len(failed)} drills passed, {len(failed)} failed{which}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_with_reaper(main))
