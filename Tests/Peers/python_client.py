"""Checks Examples/python-client: two such clients and the real `kith` share a list while a proxy loses requests and answers.

    PYTHONPATH=Examples/python-client python3 Tests/Peers/python_client.py http://127.0.0.1:8480 path/to/kith [--seed 1] [--rounds 60]

In the end everybody must have the same list, each addition must count exactly once, and the digests must be equal.
"""
import argparse
import json
import os
import random
import shutil
import socketserver
import sqlite3
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler

import kith_client
from kith_client import Client, Offline, Problem

# The vectors of Protocol.md.
assert kith_client.digest_of([]) == "0" * 16
assert kith_client.digest_of([("01900000-0000-7000-8000-000000000001", 1),
                              ("01900000-0000-7000-8000-000000000002", 7)]) == "9a8d65698dd05dda"
assert [kith_client.key_after(key) for key in ("Zz", "a0", "az", "bzz", "Yyz", "Z0a5")] == [
    "a0", "a1", "b10", "c100", "Z0", "Z1"]


class Proxy(socketserver.ThreadingTCPServer):
    """Hands requests on to the server. While `faults` is above 0, this share of them is lost on one of both ways.

    `planned` says it of the next requests: "request" or "answer" is lost, "redirect", "page", "refusal" and "limit" answer
    in the server's place, or None.
    """

    daemon_threads = allow_reuse_address = True

    def __init__(self, server, seed):
        super().__init__(("127.0.0.1", 0), Handler)
        self.target, self.random, self.faults, self.planned, self.lost = server, random.Random(seed), 0.0, [], 0
        self.is_followed = False
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def loss(self):
        """What is lost of the next request; None if nothing is."""
        if self.planned:
            return self.planned.pop(0)
        fate = self.random.random()
        return "request" if fate < self.faults / 2 else "answer" if fate < self.faults else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def relay(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        loss = self.server.loss()
        self.close_connection = True
        if self.path.startswith("/elsewhere"):
            self.server.is_followed = True
        status = {"redirect": 302, "page": 200, "refusal": 400, "limit": 413}.get(loss)
        if status:
            page = b"" if loss == "redirect" else b"<html>Welcome to the hotel</html>"
            self.send_response(status)
            self.send_header("Location", self.server.url + "/elsewhere" + self.path)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)
            return
        if loss == "request":
            self.server.lost += 1
            return
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "content-length")}
        request = kith_client.urllib.request.Request(
            self.server.target + self.path, body or None, headers, method=self.command)
        try:
            answer = kith_client.urllib.request.urlopen(request, timeout=30)
        except kith_client.urllib.error.HTTPError as error:
            answer = error
        content = answer.read()
        if loss == "answer":  # The server has done it.
            self.server.lost += 1
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = relay

    def log_message(self, *_):
        pass


class Kith:
    """The real program, with a folder of its own."""

    def __init__(self, program, server, folder):
        self.program, self.environment = program, {**os.environ, "KITH_SERVER": server, "KITH_DATA": folder}

    def run(self, *arguments):
        command = [self.program, *arguments, "--json"]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None


def try_sync(client):
    try:
        client.sync()
    except Offline:
        pass
    except Problem as problem:
        if problem.status not in (429, 503):
            raise


def check_made_once(client, proxy, path):
    """A link is made once, though answers are lost. Returns it."""

    def links():
        return [link["id"] for link in client.ask("GET", path)["links"]]

    proxy.planned = ["request", "answer", "answer"]
    link = client.make(path, {"role": "editor"})
    assert links() == [link["id"]], (links(), link["id"])
    # The client gives up, and is called again.
    proxy.planned = ["answer"]
    try:
        client.make(path, {"role": "viewer"}, repeats=0)
        raise AssertionError("the answer was not lost")
    except Offline:
        pass
    other = client.make(path, {"role": "viewer"})
    assert sorted(links()) == sorted([link["id"], other["id"]]), "a link was made twice"
    # After an answer, the same request makes another one.
    assert client.make(path, {"role": "viewer"})["id"] not in (link["id"], other["id"])
    return link


def check_refused(client, proxy, fate):
    """An answer in the server's place counts as offline, to the question for the server's id and to a round."""
    count = len(client.waiting())
    for planned in ([fate], [None, fate]):
        proxy.planned, client.is_checked = planned, False
        try:
            client.sync()
            raise AssertionError(f"{fate} was taken for the server")
        except Offline:
            pass
    assert not proxy.planned and not proxy.is_followed, "a redirect was followed"
    assert len(client.waiting()) == count > 0 and not client.rejections(), client.rejections()


def check_limited(client, proxy):
    """An edit that the server has, with its answer lost, waits if a proxy then refuses it."""
    count = len(client.waiting())
    proxy.planned = ["answer"]
    try_sync(client)
    proxy.planned = [None, "limit"]
    try:
        client.sync()
        raise AssertionError("the edit was given up, or taken without its content")
    except Problem as problem:
        assert problem.status == 413, problem
    assert len(client.waiting()) == count == 1 and not client.rejections(), client.rejections()
    client.sync()
    assert not client.waiting() and not client.rejections(), client.rejections()


def check_unreadable(client, feed):
    """An edit that the server cannot read becomes a rejection, and the edits around it are sent."""
    item, texts = kith_client.new_id(), ("The first", "The last")
    first = client.add_item(feed, texts[0])
    client.edit(feed, "item", "abc", set={"title": "A wrong id", "position": "a0"})
    client.edit(feed, "item", item, set={"title": "x" * 3_000_000, "position": "a0"})
    client.add_item(feed, "Half a character: \ud800")
    last = client.add_item(feed, texts[1])
    client.sync()
    assert not client.waiting(), client.waiting()
    assert [code for _, code, _ in client.rejections()] == ["invalid"] * 3, client.rejections()
    assert [item["title"] for item in client.items(feed)] == list(texts), client.items(feed)
    for item in (first, last):
        client.edit(feed, "item", item, delete=True)
    client.sync()


def story(server, program, seed, rounds, folder):
    chance, proxy = random.Random(seed), Proxy(server, seed + 1)
    ada, grace = Client(proxy.url, f"{folder}/ada.sqlite"), Client(proxy.url, f"{folder}/grace.sqlite")
    kith = Kith(program, proxy.url, f"{folder}/kith")
    for client in (ada, grace):
        proxy.planned = ["request", "answer"]
        client.open_session()
    groceries = ada.add_list("Groceries")
    ada.sync()
    link = check_made_once(ada, proxy, f"/v1/lists/{groceries}/links")
    grace.ask("POST", f"/v1/links/{link['token']}/accept")
    assert kith.run("lists", "accept", link["url"]), "kith did not accept the link"
    milk = ada.add_item(groceries, "Milk", count=1)
    for fate in ("redirect", "page", "refusal"):
        check_refused(ada, proxy, fate)
    ada.check_server()
    check_limited(ada, proxy)
    writer = Client(server, f"{folder}/writer.sqlite")
    writer.open_session()
    check_unreadable(writer, writer.add_list("Unreadable"))
    for client in (ada, grace):
        client.sync()
    kith.run("sync")

    proxy.faults, milks = 0.4, 1
    for number in range(rounds):
        client = chance.choice([ada, grace])
        items = [item for item in client.items(groceries) if item["id"] != milk]
        action = chance.randrange(6)
        if action == 0 and number % 3 == 0:
            # It is in kith's outbox, whether or not the server could be reached.
            assert kith.run("items", "edit", "Groceries", "Milk", "--more", "1"), "kith did not take the edit"
            milks += 1
        elif action <= 2:
            client.edit(groceries, "item", milk, add={"count": 1})
            milks += 1
        elif action == 3 and items:
            client.edit(groceries, "item", chance.choice(items)["id"], set={"ticked": True, "comment": "é 🫖\n\t"})
        elif action == 4 and len(items) > 3:
            client.edit(groceries, "item", chance.choice(items)["id"], delete=True)
        else:
            client.add_item(groceries, f"Item {number}")
        if chance.random() < 0.7:
            try_sync(client)

    # A copy of a device's file is noticed, and nothing of it counts twice.
    ada.edit(groceries, "item", milk, add={"count": 1})
    milks += 1
    copy = sqlite3.connect(f"{folder}/copy.sqlite")
    ada.db.backup(copy)
    copy.close()
    twin = Client(proxy.url, f"{folder}/copy.sqlite")
    twin.edit(groceries, "item", milk, add={"count": 1})
    milks += 1
    # What the server refuses comes back with its reason.
    grace.edit(groceries, "item", kith_client.new_id(), set={"text": "A wrong name"})

    proxy.faults = 0.0
    for _ in range(3):
        for client in (ada, twin, grace):
            client.sync()
        kith.run("sync")
    assert twin.get("device") != ada.get("device"), "the copy kept its device"
    codes = [code for _, code, _ in grace.rejections() if code != "deleted"]
    assert codes == ["invalid"], codes
    digests = {client.digest(groceries) for client in (ada, twin, grace)}
    assert len(digests) == 1 and not ada.get("reread") and not grace.get("reread"), digests

    # A signal of the live stream brings an edit of somebody else.
    def hear(client):
        if any(item["title"] == "Told" for item in client.items(groceries)):
            raise StopIteration
        if not told:
            told.append(grace.add_item(groceries, "Told"))
            grace.sync()

    told = []
    listener = Client(server, f"{folder}/ada.sqlite")
    try:
        listener.follow(hear)
    except StopIteration:
        pass
    kith.run("sync")

    shown = [(item["title"], item["count"], item.get("ticked", False), item.get("comment"))
             for item in ada.items(groceries)]
    theirs = [(item["title"], item["count"], item["ticked"], item["comment"])
              for item in kith.run("items", "Groceries")["items"]]
    assert shown == theirs, (shown, theirs)
    counted = [item["count"] for item in ada.items(groceries) if item["id"] == milk]
    assert counted == [milks], (counted, milks)
    print(f"{len(shown)} items, {milks} counted once each, {proxy.lost} requests and answers lost, "
          f"digest {listener.digest(groceries)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("kith")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    place = tempfile.mkdtemp()
    try:
        story(options.server, os.path.abspath(options.kith), options.seed, options.rounds, place)
    finally:
        shutil.rmtree(place)
