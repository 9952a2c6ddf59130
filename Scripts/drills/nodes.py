"""The servers of a drill: nodes, and the load balancer in front of them."""
import json
import os
import urllib.error
import urllib.request

from programs import DrillError, Program, free_port, wait_until

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# So that the drill's devices, which share one address, are never too fast.
UNLIMITED = ["--session-rate", "100000", "--session-burst", "100000", "--address-rate", "100000",
             "--address-burst", "100000", "--new-session-rate", "100000", "--new-session-burst", "100000",
             "--session-work", "1000000", "--address-work", "1000000"]


def is_ready(address):
    """Whether a node, or one behind the load balancer, can serve."""
    try:
        with urllib.request.urlopen(address + "/ready", timeout=2) as answer:
            return json.loads(answer.read())["status"] == "ready"
    except (OSError, urllib.error.URLError, ValueError):
        return False


class Node(Program):
    """One “kith serve”."""

    def __init__(self, kith, folder, name, database, public, options=()):
        self.port, self.database = free_port(), database
        self.own_folder = os.path.join(folder, name)
        os.makedirs(self.own_folder, exist_ok=True)
        arguments = [kith, "serve", "--database", database, "--port", self.port, "--public-url", public,
                     "--discovery-key-file", os.path.join(folder, "discovery-key"), "--trusted-proxy", "loopback",
                     *UNLIMITED, *options]
        super().__init__(name, arguments, os.path.join(folder, f"{name}.log"), cwd=self.own_folder)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_ready(self):
        return is_ready(self.address)

    def start_and_wait(self, *once):
        """Starts the node, this time with further options, and waits until it is ready."""
        usual = self.arguments
        self.arguments = [*usual, *once]
        self.start()
        self.arguments = usual
        wait_until(lambda: self.is_ready or not self.is_running, 60, f"{self.name} is ready")
        wait_until(lambda: self.is_running, 0, f"{self.name} runs; it said: {self.last_lines()}")
        return self


class Balancer(Program):
    """haproxy with the configuration in Operations.md, and the nodes and the port of the drill."""

    def __init__(self, folder, port, nodes):
        self.port = port
        configuration = os.path.join(folder, "haproxy.cfg")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(self.text(nodes))
        super().__init__("haproxy", ["haproxy", "-db", "-f", configuration], os.path.join(folder, "haproxy.log"))

    def text(self, nodes):
        with open(os.path.join(REPOSITORY, "Documentation", "Operations.md"), encoding="utf-8") as file:
            marked = file.read().partition("<!-- haproxy -->\n")[2]
        lines = marked.partition("```text\n")[2].partition("```")[0].splitlines()
        if not any(line.startswith("    bind ") for line in lines):
            raise DrillError("Operations.md has no configuration of haproxy after “<!-- haproxy -->”.")
        lines = [f"    bind 127.0.0.1:{self.port}" if line.startswith("    bind ") else line for line in lines
                 if not line.startswith("    server ")]
        return "\n".join(lines + [f"    server {node.name} 127.0.0.1:{node.port}" for node in nodes]) + "\n"

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start_and_wait(self):
        self.start()
        wait_until(lambda: is_ready(self.address) or not self.is_running, 20, "haproxy passes requests on")
        wait_until(lambda: self.is_running, 0, f"haproxy runs; it said: {self.last_lines()}")
        return self
