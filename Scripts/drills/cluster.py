"""A Patroni cluster: PostgreSQL servers with strict synchronous replication, and etcd."""
import json
import os
import urllib.error
import urllib.request

from postgres import create_database, programs_folder
from programs import Program, database_user, family_of, free_port, own, wait_until

# The least that Patroni permits, except for the pauses. A cluster with Patroni's own values is away for longer.
TIMES = {"ttl": 20, "loop_wait": 2, "retry_timeout": 5}


class Etcd(Program):
    """Where the members agree on who is the primary."""

    def __init__(self, folder):
        self.client, peer = free_port(), free_port()
        data = os.path.join(folder, "etcd")
        arguments = ["etcd", "--name", "drill", "--data-dir", data,
                     "--listen-client-urls", self.address, "--advertise-client-urls", self.address,
                     "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                     "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                     "--initial-cluster", f"drill=http://127.0.0.1:{peer}"]
        super().__init__("etcd", arguments, os.path.join(folder, "etcd.log"), cwd=folder)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.client}"

    @property
    def is_healthy(self):
        try:
            with urllib.request.urlopen(self.address + "/health", timeout=1) as answer:
                return json.loads(answer.read())["health"] == "true"
        except (OSError, ValueError):
            return False


class Member(Program):
    """One machine of the cluster: Patroni with its PostgreSQL."""

    def __init__(self, folder, name, etcd):
        self.port, self.api, home = free_port(), free_port(), os.path.join(folder, name)
        os.makedirs(home, 0o700)
        own(home)
        configuration = os.path.join(home, "patroni.yml")
        with open(configuration, "w", encoding="utf-8") as file:
            json.dump(self.configuration(name, home, etcd), file, indent=1)  # JSON is YAML, too.
        own(configuration)
        super().__init__(name, ["/usr/bin/patroni", configuration], os.path.join(folder, f"{name}.log"),
                         user=database_user(), cwd=home, env={"HOME": home, "PYTHONPATH": ""})

    def configuration(self, name, home, etcd):
        address = f"127.0.0.1:{self.port}"
        return {
            "scope": "drill", "name": name,
            "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
            "etcd3": {"host": f"127.0.0.1:{etcd.client}"},
            "bootstrap": {
                "dcs": {
                    **TIMES, "synchronous_mode": True, "synchronous_mode_strict": True,
                    # A primary that has crashed is replaced at once.
                    "primary_start_timeout": 0, "master_start_timeout": 0,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True,
                                   "parameters": {"max_connections": 100, "wal_log_hints": "on"}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust",
                           "local all all trust"],
            },
            "postgresql": {
                "listen": address, "connect_address": address, "bin_dir": programs_folder(),
                "data_dir": os.path.join(home, "data"), "pgpass": os.path.join(home, "pgpass"),
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust",
                           "local all all trust"],
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"},
                                   "rewind": {"username": "postgres"}},
                "parameters": {"unix_socket_directories": home},
            },
        }

    def answers(self, path):
        """Whether Patroni says yes to a question such as /primary."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}{path}", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    @property
    def database_process(self):
        with open(os.path.join(self.cwd, "data", "postmaster.pid"), encoding="utf-8") as file:
            return int(file.readline())

    def family(self):
        # PostgreSQL is no child of Patroni, so that it outlives it.
        return super().family() + self.database_family()

    def database_family(self):
        """The processes of this member's PostgreSQL."""
        try:
            process = self.database_process
            with open(f"/proc/{process}/cmdline", encoding="utf-8", errors="replace") as file:
                return family_of(process) if os.path.join(self.cwd, "data") in file.read() else []
        except (OSError, ValueError):
            return []


class Cluster:
    """The members and etcd."""

    def __init__(self, folder, use, members):
        self.etcd = use(Etcd(folder))
        self.members = [use(Member(folder, f"member-{number}", self.etcd)) for number in range(1, members + 1)]

    def create(self):
        self.etcd.start()
        wait_until(lambda: self.etcd.is_healthy, 20, "etcd is healthy")
        first, *others = self.members
        first.start()
        wait_until(lambda: first.answers("/primary"), 60, "the first member is the primary")
        for member in others:
            member.start()
        self.wait_until_whole()
        create_database(first.port)
        return self

    def wait_until_whole(self):
        """Waits until one member is the primary, the others follow it, and one of them has all its commits."""
        def count(path):
            return sum(member.answers(path) for member in self.members)

        def is_whole():
            return count("/primary") == 1 and count("/replica") == len(self.members) - 1 and count("/synchronous")

        wait_until(is_whole, 120, "the cluster has a primary, its replicas, and a synchronous one")

    @property
    def primary(self):
        return next(member for member in self.members if member.answers("/primary"))

    @property
    def url(self):
        """The address of whichever member is the primary."""
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgres://kith@{hosts}/kith"
