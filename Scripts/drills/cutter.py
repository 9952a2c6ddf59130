"""A way to PostgreSQL that breaks in the middle of commits."""
import select
import socket
import threading

COMMIT = b"COMMIT\x00"
# PostgreSQL's message that a commit is done: the type, the length and the words.
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class Cutter:
    """Passes everything on to a port. It cuts each fifth commit: in turn before PostgreSQL gets it, and after
    PostgreSQL has done it but before the client knows."""
    EACH = 5

    def __init__(self, target):
        self.target, self.is_cutting = target, False
        self.before, self.after, self.commits, self.lock = 0, 0, 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # The drill is over.
            threading.Thread(target=self.pass_on, args=(client,), daemon=True).start()

    def pass_on(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        with client, server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plan = None
            try:
                while True:
                    for source in select.select([client, server], [], [])[0]:
                        data = source.recv(65536)
                        if source is client and COMMIT in data:
                            plan = self.next_plan()
                        is_cut = (source is client and plan == "before") or (
                            source is server and plan == "after" and COMMITTED in data)
                        if is_cut:
                            self.count(plan)
                        if is_cut or not data:
                            return
                        (server if source is client else client).sendall(data)
            except OSError:
                return

    def next_plan(self):
        with self.lock:
            self.commits += self.is_cutting
            if not self.is_cutting or self.commits % self.EACH:
                return None
            return "before" if self.commits // self.EACH % 2 else "after"

    def count(self, plan):
        with self.lock:
            self.before += plan == "before"
            self.after += plan == "after"

    def close(self):
        self.listener.close()
