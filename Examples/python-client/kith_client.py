"""A client of Kith in Python 3.9 or newer (SQLite 3.38), with only the standard library.

It keeps a replica and an outbox in one SQLite file. Edits are written to this file first, so they work offline and
survive a crash. `sync` sends waiting edits and reads changes. `follow` syncs whenever the server reports a change.
Documentation/Protocol.md and Documentation/openapi.json describe the protocol.
"""
import base64
import http.client
import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
import uuid

BATCH = 500  # Mutations in one request.
LOG = 7 * 86_400_000  # How long taken mutations are kept for a restored server, in milliseconds.
JSON = {"Content-Type": "application/json"}
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
HEADS = "QRSTUVWXYZabcdefghij"


class Offline(OSError):
    """The server did not answer. It may have taken the request: the next round finds out, or `make` again."""


class Problem(Exception):
    """The server refused a request: see Protocol.md, Errors."""
    def __init__(self, status, body):
        super().__init__(f"{status} {body.get('code')}: {body.get('detail')} {body.get('path', '')}")
        self.status, self.code, self.retry_after = status, body.get("code"), body.get("retryAfter", 0)
        path, limits = body.get("path", ""), (408, 413, 422)  # A proxy has limits too.
        is_of_edits = path in ("", "$") or path.startswith("$.mutations") and path.split(".")[2:] != ["number"]
        self.is_about_edits = is_of_edits and (self.code == "malformed" or status in limits)


class RedirectRefusal(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because the token is only for the server's own address. Its answer becomes an HTTPError."""
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(RedirectRefusal)


def now():
    return time.time_ns() // 1_000_000  # Milliseconds since 1970.


def new_id():
    """A UUID of version 7: 48 bits of time, then random bits."""
    number = now() << 80 | int.from_bytes(os.urandom(10), "big")
    return str(uuid.UUID(int=number & ~(0xF << 76 | 3 << 62) | 7 << 76 | 2 << 62))


def key_after(last="Zz"):
    """The index key after `last`, the last key of an order: the first number of `last` plus 1."""
    head, number = HEADS.index(last[0]), 0
    count = head - 9 if head > 9 else 10 - head
    for digit in last[1 : count + 1]:
        number = number * 62 + DIGITS.index(digit)
    number += 1 if head > 9 else 1 - 62**count
    count = next(count for count in range(1, 11) if -(62**count) <= number < 62**count)
    digits = [DIGITS[number // 62**place % 62] for place in reversed(range(count))]
    return HEADS[count + 9 if number >= 0 else 10 - count] + "".join(digits)


def digest_of(records):
    """The digest of a feed with these live records, which are pairs of id and sequence."""
    def mix(value):
        z = (value + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31
    halves = ((divmod(uuid.UUID(record).int, 2**64), sequence) for record, sequence in records)
    return f"{sum(mix(mix(mix(high) ^ low) ^ sequence) for (high, low), sequence in halves) % 2**64:016x}"


class Client:
    """One device: its session, its replica of the feeds it may read, and the waiting edits."""

    def __init__(self, server, file):
        self.server, self.db, self.is_checked = server.rstrip("/"), sqlite3.connect(file), False
        self.keys = {}  # Those of requests without an answer.
        self.db.executescript("""
            CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT);
            CREATE TABLE IF NOT EXISTS record (feed, id, collection, sequence, fields, PRIMARY KEY (feed, id));
            CREATE TABLE IF NOT EXISTS mutation (number INTEGER PRIMARY KEY, made, body);
            CREATE TABLE IF NOT EXISTS rejection (id PRIMARY KEY, body, code, detail);""")
        if self.get("device") is None:
            with self.db:
                self.put(device=new_id(), acknowledged={"number": 0, "hash": ""}, sent=0, reread=[], batch=BATCH)

    def get(self, name):
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone() or ["null"]
        return json.loads(row[0])

    def put(self, **values):
        self.db.executemany("REPLACE INTO meta VALUES (?, ?)", [(k, json.dumps(v)) for k, v in values.items()])

    # Reading: the server's records with the waiting edits applied, so that the device's own edits show at once.
    def records(self, feed, collection):
        """The fields of a collection's records, by id."""
        found = {record: json.loads(fields) for record, fields in self.db.execute(
            "SELECT id, fields FROM record WHERE feed = ? AND collection = ?", (feed, collection))}
        for mutation in (m for m in self.waiting() if (m["feed"], m["collection"]) == (feed, collection)):
            record = mutation["record"]
            if mutation.get("delete"):
                found.pop(record, None)
            elif record in found or mutation["seen"] == 0:
                fields = {**found.get(record, {}), **mutation.get("set", {})}
                for name, amount in mutation.get("add", {}).items():
                    fields[name] = (1 if fields.get(name) is None else fields[name]) + amount  # The default count is 1.
                found[record] = {name: value for name, value in fields.items() if value is not None}
        return found

    def items(self, feed):
        """The items of a list in order, each with its id. Counts are limited to 1 to 9,999."""
        items = [{**fields, "id": item, "count": min(max(fields.get("count", 1), 1), 9_999)}
                 for item, fields in self.records(feed, "item").items()]
        return sorted(items, key=lambda item: (item.get("position", "").encode(), item["id"]))

    def digest(self, feed):
        """The digest of the replica's records of a feed, without the waiting edits."""
        return digest_of(self.db.execute("SELECT id, sequence FROM record WHERE feed = ?", (feed,)))

    def rejections(self):
        """The edits that the server refused, each with its code and a sentence."""
        return self.db.execute("SELECT body, code, detail FROM rejection ORDER BY rowid").fetchall()

    # Writing to the outbox. The number and the content of a mutation never change.
    def edit(self, feed, collection, record, **change):
        """Adds one mutation to the outbox: `set`, `add` or both, or `delete`."""
        row = self.db.execute("SELECT sequence FROM record WHERE feed = ? AND id = ?", (feed, record)).fetchone()
        with self.db:
            self.enqueue({"id": new_id(), "feed": feed, "collection": collection, "record": record,
                          "seen": row[0] if row else 0, **change}, now())

    def add_list(self, name):
        feed = new_id()  # A list and its feed have the same id.
        self.edit(feed, "list", feed, set={"name": name})
        return feed

    def add_item(self, feed, title, **fields):
        item, positions = new_id(), [item["position"] for item in self.items(feed)]
        self.edit(feed, "item", item, set={"title": title, "position": key_after(*positions[-1:]), **fields})
        return item

    def enqueue(self, body, made):
        number = self.get("sent") + 1
        self.db.execute("INSERT INTO mutation VALUES (?, ?, ?)", (number, made, json.dumps(body)))
        self.put(sent=number)

    def waiting(self):
        rows = self.db.execute("SELECT number, made, body FROM mutation WHERE number > ? ORDER BY number",
                               (self.get("acknowledged")["number"],))
        return [{**json.loads(body), "number": number, "age": max(0, now() - made)} for number, made, body in rows]

    def open_session(self):
        if self.get("session") is None:
            session = self.make("/v1/sessions")
            with self.db:
                self.put(account=session["account"], session=session["token"], home=session.get("server"))

    def sync(self):
        """Sends waiting edits and reads changes, until there are none left."""
        is_done = False
        while not is_done:
            self.check_server()
            request = {key: self.get(key) for key in ("account", "device", "acknowledged", "sent", "token", "reread")}
            request["mutations"] = self.waiting()[: self.get("batch")]
            try:
                answer = self.ask("POST", "/v1/sync", request)
            except Problem as problem:
                count = len(request["mutations"])
                if not problem.is_about_edits or count == 0 or (count == 1 and problem.status == 408):
                    raise
                if count == 1 and problem.code is None and self.may_be_taken(request):
                    raise  # The edit waits for another network.
                with self.db:
                    self.put(batch=count // 2) if count > 1 else self.reject(request["mutations"][0], str(problem))
                continue
            with self.db:  # One transaction: an answer is applied as a whole, and a crash repeats the round.
                is_done = self.apply(answer)

    def may_be_taken(self, request):
        """Asks whether the server may have edits that a proxy has refused: an earlier request may have arrived."""
        answer = self.ask("POST", "/v1/sync", {**request, "mutations": []})
        return answer["device"] != "recognised" or answer["acknowledged"]["number"] > request["acknowledged"]["number"]

    def check_server(self):
        """Checks the server's id: the token and the edits of an account are sent only to the account's own server."""
        if not self.is_checked:
            found = self.ask("GET", "/ready", is_public=True).get("server")
            if self.get("home") not in (None, found):
                raise Offline(f"{self.server} is another server than the account's.")
            self.is_checked = True

    def apply(self, answer):
        """Applies an answer. Returns True if this was the last round; None counts as False."""
        is_new_epoch = self.get("epoch") not in (None, answer["epoch"])
        if answer["device"] != "recognised" or is_new_epoch:  # Reread every feed.
            self.db.execute("DELETE FROM record")  # A token of the old epoch stays: it says when `seen` was read.
            self.put(token=self.get("token") if is_new_epoch else None, reread=[], epoch=answer["epoch"])
        if answer["device"] == "copied" and not is_new_epoch:
            return self.become_another(answer["outcomes"], answer["acknowledged"]["number"])
        if answer["device"] != "recognised":
            return self.recall(answer["acknowledged"]["number"])
        taken, was_doubtful = answer["acknowledged"], set(self.get("reread"))
        self.put(epoch=answer["epoch"], token=answer["token"], acknowledged=taken, batch=BATCH,
                 sent=max(self.get("sent"), taken["number"]))
        self.note(answer["outcomes"])
        self.db.execute("DELETE FROM mutation WHERE number <= ? AND made < ?", (taken["number"], now() - LOG))
        for named in answer["records"]:
            self.lay(named["feed"], named["change"])
        self.db.executemany("DELETE FROM record WHERE feed = ?", [(feed,) for feed in answer["lost"]])
        doubtful = was_doubtful - set(answer["lost"])
        for news in answer["feeds"]:
            self.lay_feed(news["feed"], news.get("page"), news["changes"])
            if news["isComplete"]:
                (doubtful.discard if self.digest(news["feed"]) == news["digest"] else doubtful.add)(news["feed"])
        self.put(reread=sorted(doubtful))
        return not (answer["more"] or self.waiting() or doubtful - was_doubtful)

    def lay_feed(self, feed, page, changes):
        if page:  # Records in the page's range that the page does not contain were deleted.
            self.db.execute("DELETE FROM record WHERE feed = ? AND id > ? AND id <= ?",
                            (feed, page.get("after") or "", page.get("through") or "~"))
        for columns in page["columns"] if page else []:
            ids = base64.b64decode(columns["ids"])
            for index, sequence in enumerate(columns["sequences"]):
                self.lay(feed, {
                    "id": str(uuid.UUID(bytes=ids[16 * index : 16 * index + 16])), "sequence": sequence, "fields": {
                        name: column[index] for name, column in columns["fields"].items() if column[index] is not None},
                    "collection": columns["collection"]})
        for change in changes:
            self.lay(feed, change)

    def lay(self, feed, change):
        """Stores the current state of a record. Collections and fields of newer versions are kept too."""
        self.db.execute("DELETE FROM record WHERE feed = ? AND id = ?", (feed, change["id"]))
        if change.get("fields") is not None:
            self.db.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?)", (
                feed, change["id"], change["collection"], change["sequence"], json.dumps(change["fields"])))

    def note(self, outcomes):
        """Keeps the rejected mutations with their reasons."""
        for outcome in (outcome for outcome in outcomes if outcome["result"] == "rejected"):
            self.db.execute("""INSERT OR IGNORE INTO rejection SELECT body ->> 'id', body, ?, ? FROM mutation
                WHERE number = ?""", (outcome["code"], outcome["detail"], outcome["number"]))

    def reject(self, mutation, detail):
        """Turns an edit that the server cannot read into a rejection, so that it does not block the others."""
        self.note([{"number": mutation["number"], "result": "rejected", "code": "invalid", "detail": detail}])
        if mutation.get("set") == {}:  # Not even its number can be sent.
            self.renumber(self.get("acknowledged")["number"])
        else:
            self.void("number = ?", mutation["number"])

    def void(self, condition, *values):
        """A rejected mutation must not be applied later, so its number is sent with an edit that changes nothing."""
        self.db.execute(f"""UPDATE mutation
            SET body = json_set(json_remove(body, '$.add', '$.delete'), '$.set', json('{{}}'))
            WHERE {condition}""", values)

    # Standing: what a device does if the server's record of it differs from its own.
    def recall(self, kept):
        """Prepares to resend the lost mutations to a restored server, which has only the numbers up to `kept`."""
        first = self.db.execute("SELECT min(number) FROM mutation").fetchone()[0]
        if first is None or first > kept + 1:  # The log does not reach back to `kept`.
            return self.renumber(kept)
        self.void("number > ? AND body ->> 'id' IN (SELECT id FROM rejection)", kept)
        self.put(acknowledged={"number": first - 1, "hash": ""})

    def become_another(self, outcomes, last):
        """This file is a copy of another device's. The mutations that the server lacks are sent as a new device."""
        beyond = [m for m in self.waiting()[self.get("batch"):] if m["number"] <= last]  # They may have been taken.
        repeated = {"result": "rejected", "code": "repeated", "detail": "This addition may have counted already."}
        outcomes = outcomes + [{**repeated, "number": m["number"]} for m in beyond if "add" in m]
        self.note(outcomes)
        self.db.executemany("DELETE FROM mutation WHERE number = ?", [(outcome["number"],) for outcome in outcomes])
        self.renumber(self.get("acknowledged")["number"])

    def renumber(self, after):
        """Takes a new device id. Renumbers the mutations after `after` from 1, without the rejected ones."""
        rest = self.db.execute("""SELECT body, made FROM mutation
            WHERE number > ? AND body ->> 'id' NOT IN (SELECT id FROM rejection)""", (after,)).fetchall()
        self.db.execute("DELETE FROM mutation")
        self.put(device=new_id(), acknowledged={"number": 0, "hash": ""}, sent=0)
        for body, made in rest:
            self.enqueue(json.loads(body), made)

    def follow(self, on_round):
        """Syncs whenever the live stream starts or reports moved feeds. Ends with an error when the stream ends."""
        # The server sends a comment every 20 seconds, so after a silent minute the stream is dead.
        with self.open("GET", f"/v1/live?device={self.get('device')}", timeout=60) as stream:
            for line in stream:
                if line.strip() in (b"event: hello", b"event: moved"):
                    self.sync()
                    on_round(self)
        raise Offline("The live stream has ended. Wait a little, then follow it again.")

    def make(self, path, body=None, repeats=3):
        """Makes something that has no name, such as a link. A repeated request has the same key, and makes it once."""
        request = (path, json.dumps(body))
        key = self.keys.pop(request, None) or str(uuid.uuid4())
        try:
            return self.ask("POST", path, body, headers={"Idempotency-Key": f'"{key}"'})
        except (Offline, Problem) as error:
            if getattr(error, "status", 503) >= 429:  # It may have been carried out, now or before.
                self.keys[request] = key
            if request not in self.keys or repeats == 0:
                raise
        time.sleep(1)
        return self.make(path, body, repeats - 1)

    def ask(self, method, path, body=None, is_public=False, headers={}):
        try:
            with self.open(method, path, body, is_public, headers=headers) as answer:
                return json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError) as error:  # Also the sign-in page of a network.
            self.is_checked = False
            raise Offline(str(error)) from error

    def open(self, method, path, body=None, is_public=False, timeout=30, headers={}):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, {**headers, **JSON}, method=method)
        if self.get("session") and not is_public:
            request.add_header("Authorization", "Bearer " + self.get("session"))
        try:
            return OPENER.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            is_problem = error.headers.get_content_type() == "application/problem+json"
            if not is_problem and error.code not in (408, 413, 422, 429, *range(500, 600)):  # Those are of a proxy.
                raise Offline(f"{self.server} is no Kith server: {error} {error.headers.get('Location', '')}") from None
            raise Problem(error.code, json.loads(error.read()) if is_problem else {}) from None
