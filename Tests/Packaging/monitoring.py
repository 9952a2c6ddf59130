"""Compares the dashboard and the alerts with the metrics of a running server. Scripts/monitoring-check runs it."""

import json
import pathlib
import re
import sys
import urllib.request
import uuid

# Labels that Prometheus adds.
OF_PROMETHEUS = {"job", "instance", "alertname"}
# Numbers: any status of HTTP.
OPEN_VALUES = {"status"}

faults = []


def fault(text):
    faults.append(text)


def call(address, path, body=None, token=None):
    request = urllib.request.Request(address + path, method="GET" if body is None else "POST")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def use(address):
    """Makes rounds with every standing of a device, and an edit that is refused, so that all their series exist."""
    session = json.loads(call(address, "/v1/sessions", {}))
    account, token = session["account"], session["token"]

    def sync(device, number, acknowledged, feed, collection, fields):
        record = feed if collection == "list" else str(uuid.uuid4())
        mutation = {
            "id": str(uuid.uuid4()), "number": number, "feed": feed, "collection": collection, "record": record,
            "seen": 0, "age": 0, "set": fields}
        body = {
            "account": account, "device": device, "acknowledged": acknowledged, "sent": number,
            "mutations": [mutation]}
        return json.loads(call(address, "/v1/sync", body, token))

    nothing = {"number": 0, "hash": ""}
    device = str(uuid.uuid4())
    first = sync(device, 1, nothing, str(uuid.uuid4()), "list", {"name": "Groceries"})
    # A list of nobody.
    sync(device, 2, first["acknowledged"], str(uuid.uuid4()), "item", {"title": "Tea"})
    # More than the server has acknowledged.
    sync(str(uuid.uuid4()), 9, {"number": 8, "hash": first["acknowledged"]["hash"]}, str(uuid.uuid4()), "list", {})


def families(text):
    """The series of each name: for each label, the values that it has."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        name, labels = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? \S+", line).groups()
        values = found.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels or ""):
            values.setdefault(label, set()).add(value)
    return found


def check_expression(where, expression, known):
    """Checks the metrics in an expression, and returns their names."""
    names = set(re.findall(r"\bkith_[a-z_]+", expression))
    for name in names - set(known):
        fault(f"{where}: the server has no metric {name}")
    for name, selectors in re.findall(r"\b(kith_[a-z_]+)\{([^}]*)\}", expression):
        for label, sign, value in re.findall(r'(\w+)(=~|!=|!~|=)"([^"]*)"', selectors):
            values = known.get(name, {}).get(label)
            if label in OF_PROMETHEUS:
                continue
            if values is None:
                fault(f"{where}: {name} has no label {label}")
            elif label not in OPEN_VALUES and value not in values:
                fault(f"{where}: {name} has no {label} “{value}”, only {sorted(values)}")
    for labels in re.findall(r"\bby \(([^)]*)\)", expression):
        for label in re.split(r",\s*", labels):
            if label not in OF_PROMETHEUS and not any(label in known.get(name, {}) for name in names):
                fault(f"{where}: none of {sorted(names)} has the label {label}")
    return names


def alerts(text):
    """The alerts of the file, each as its lines. Python has no reader of YAML; promtool checks the file itself."""
    parts = re.split(r"^      - alert: (\w+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def main():
    address, root = sys.argv[1], pathlib.Path(sys.argv[2])
    use(address)
    known = families(call(address, "/metrics"))
    operations = (root / "Documentation/Operations.md").read_text()
    dashboard = json.loads((root / "Packaging/grafana/kith.json").read_text())
    rules = alerts((root / "Packaging/prometheus/alerts.yml").read_text())
    used = set()

    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    for panel in panels:
        where = f"The panel “{panel['title']}”"
        if not panel["description"]:
            fault(f"{where} has no description")
        for target in panel["targets"]:
            used |= check_expression(where, target["expr"], known)
        for alert in re.findall(r"Alert: (\w+)", panel["description"]):
            if alert not in rules:
                fault(f"{where}: there is no alert {alert}")

    for name, lines in rules.items():
        where = f"The alert {name}"
        found = re.search(r"expr: (.*?)^        (?:for|labels):", lines, flags=re.MULTILINE | re.DOTALL)
        if not found:
            fault(f"{where} has no expression")
            continue
        used |= check_expression(where, found[1], known)
        for part in ("summary", "action", "runbook"):
            if not re.search(rf"^          {part}: \S", lines, flags=re.MULTILINE):
                fault(f"{where} has no {part}")
        if "runbook: /usr/share/doc/kith/Documentation/Operations.md#alerts\n" not in lines or "\n## Alerts\n" not in operations:
            fault(f"{where} does not lead to the section “Alerts” of Operations.md")
        if f"\n| `{name}` |" not in operations:
            fault(f"{where} is not in the table of Operations.md")
    for name in set(re.findall(r"^\| `(Kith\w+)` \|", operations, flags=re.MULTILINE)) - set(rules):
        fault(f"Operations.md describes {name}, which is no alert")

    stems = {re.sub(r"_(bucket|sum|count)$", "", name) if "_seconds_" in name else name for name in known}
    for name in sorted(stems):
        if not any(other.startswith(name) for other in used):
            fault(f"{name} is neither in the dashboard nor in an alert")
        if f"`{name}`" not in operations:
            fault(f"Operations.md does not describe {name}")

    if len(panels) < 10 or len(rules) < 10 or len(stems) < 10:
        fault(f"only {len(panels)} panels, {len(rules)} alerts, {len(stems)} metrics were read")
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
        sys.exit(1)
    print(f"{len(panels)} panels and {len(rules)} alerts use the {len(stems)} metrics of the server")


if __name__ == "__main__":
    main()
