"""A server with data of its own, its operator, and the devices of people: what the pages in a browser show."""

import email
import email.policy
import json
import os
import pathlib
import re
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Long enough for a debug build on a busy machine.
PATIENCE = 60


def until(question, what):
    """The first answer that is true, asked again and again."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"In {PATIENCE} seconds: not {what}.")
        time.sleep(0.05)


class Refused(Exception):
    """A command that has failed."""

    def __init__(self, words, status, complaints):
        super().__init__(f"kith {' '.join(words)}: {status}: {complaints.strip()}")
        self.status = status


class Command:
    """Runs commands of `kith`, each with the same environment."""

    def __init__(self, kith, **environment):
        self.kith, self.environment = kith, {**os.environ, **environment}

    def text(self, *words, given=None):
        done = subprocess.run(
            [self.kith, *words], env=self.environment, capture_output=True, text=True, input=given or "",
            timeout=2 * PATIENCE)
        if done.returncode != 0:
            raise Refused(words, done.returncode, done.stderr)
        return done.stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))


class Device(Command):
    """A person's device, which works with the command line."""

    def __init__(self, service, name):
        super().__init__(service.kith, KITH_SERVER=service.address, KITH_DATA=str(service.folder / name))
        self.service, self.name = service, name

    @property
    def token(self):
        """The token of its session."""
        return self.json("session", "show", "--token")["token"]

    def items(self, name):
        """The items of a list, after a sync."""
        self.json("sync")
        return self.json("items", name)["items"]

    def make_list(self, name, *titles, kind="shopping"):
        self.json("lists", "create", name, "--kind", kind)
        if titles:
            self.json("items", "add", name, *titles)

    def public_link(self, name, *options):
        """A link with which anyone can read a list."""
        return self.json("lists", "public", name, *options)["link"]["url"]

    def share_link(self, programme=None):
        """The link of what is shared in a programme, once the server has it."""
        words = ["--programme", programme] if programme else []
        made = until(
            lambda: next((each for each in [self.json("share", "link", *words)] if each["shareable"]["isReady"]), None),
            "a code that the server has")
        return made["link"]

    def sign_in(self, address):
        self.json("session", "register", address)
        self.json("session", "verify", self.service.code(address))

    def wait(self, command, fits=lambda record: True):
        """Syncs until `kith share COMMAND` shows a record that fits."""
        def found():
            self.json("sync")
            return next((each for each in self.json("share", command)[command] if fits(each)), None)
        return until(found, f"a record of {command}")


class Waiting:
    """A command of a device that prints the address of a page, and waits until the page was used."""

    def __init__(self, device, *words):
        self.process = subprocess.Popen(
            [device.kith, *words, "--json", "--timeout", str(2 * PATIENCE)], env=device.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.page = self.process.stderr.readline().strip().split(" ")[-1]

    def answer(self):
        output, complaints = self.process.communicate(timeout=3 * PATIENCE)
        if self.process.returncode != 0:
            raise AssertionError(complaints)
        return json.loads(output)


class Service:
    """A running server, in a folder of its own."""

    def __init__(self, kith, folder, port, *settings):
        self.kith, self.folder, self.port = kith, pathlib.Path(folder), port
        # The domain of passkeys is a name, and not an address.
        self.address = f"http://localhost:{port}"
        self.database = self.folder / "server.sqlite"
        self.log = open(self.folder / "server.log", "a")
        self.operator = Command(kith)
        self.process = subprocess.Popen(
            [kith, "serve", "--database", str(self.database), "--port", str(port), "--public-url", self.address,
             "--address-rate", "1000", "--address-burst", "10000", *settings],
            stdout=self.log, stderr=self.log)
        self.taken = set()
        try:
            until(self.is_ready, "a server that is ready")
        except BaseException:
            self.process.kill()
            raise

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError((self.folder / "server.log").read_text()[-2000:])
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=PATIENCE) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        status = self.process.wait(timeout=PATIENCE)
        self.log.close()
        if status != 0:
            raise AssertionError(f"The server has left with {status}: {(self.folder / 'server.log').read_text()[-2000:]}")

    def admin(self, *words):
        return self.operator.json("admin", *words, "--database", str(self.database))

    def programme(self, name="friends", picture=None, **changes):
        """Makes a programme, or changes it: the sample, which rewards at once unless `changes` say otherwise."""
        rules = json.loads((ROOT / "Samples/friends.json").read_text())
        rules["guards"] = {"soonest-seconds": None}
        rules.pop("url")
        rules.update({"name": name, **changes})
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps({key: value for key, value in rules.items() if value is not None}))
        options = ["--picture", str(picture)] if picture else []
        self.admin("programme", "create", str(file), "--replace", *options)

    def funnel(self, programme=None):
        """The numbers of a programme, or of all."""
        return self.admin("funnel", *(["--programme", programme] if programme else []))["totals"]

    def messages(self, recipient):
        """The emails to an address that the server has written as files, oldest first."""
        for file in sorted((self.folder / "server.sqlite.outbox").glob("*.eml")):
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if recipient in str(message["To"]):
                yield file.name, message

    def message(self, recipient):
        """The newest email to an address, which may still be on its way."""
        return until(lambda: [message for _, message in self.messages(recipient)][-1:], f"an email to {recipient}")[0]

    def link_in(self, message, path):
        """The address in an email that leads to a page of the server."""
        text = message.get_body(("plain",)).get_content()
        return re.search(re.escape(self.address + path) + r"[A-Za-z0-9_-]+", text).group()

    def code(self, recipient):
        """The code in the next email to an address, which may still be on its way."""
        def next_code():
            for name, message in self.messages(recipient):
                found = re.search(r"^ *(\d{6})\s*$", message.get_body(("plain",)).get_content(), re.MULTILINE)
                if found and name not in self.taken:
                    self.taken.add(name)
                    return found.group(1)
            return None
        return until(next_code, f"a code for {recipient}")


def texts(language):
    """The texts of the pages in a language."""
    return json.loads((ROOT / f"Sources/KithServer/Pages/Texts/page.{language}.json").read_text())
