"""Hooks with which schemathesis, in `Scripts/api-check`, names what exists.

Random ids lead only to 404. So the session gets a list with two links, an invitation, and a link in each of the two
programmes that the script has made, and every second request names these, or the session's own account, in its path. A
round of `sync` always names the session's own account. Every second request for a page of an account or of an operator has the
cookie of somebody who is signed in, and the right proof, unless the form would end that session.
"""

import base64
import hashlib
import hmac
import itertools
import json
import os
import random
import urllib.request
import uuid

import schemathesis

address, token = os.environ["KITH_API_ADDRESS"], os.environ.get("KITH_API_TOKEN", "")
# The cookies of the pages below these paths, and what their forms do, as the proofs have it.
cookies = {"/account": ("kith", os.environ.get("KITH_API_BROWSER")),
           "/admin": ("kith-operator", os.environ.get("KITH_API_OPERATOR"))}
purposes = {"POST /account/export": "export", "POST /admin/referrals": "operator: decide",
            "POST /admin/deliveries": "operator: deliver"}
existing = {}
turns = itertools.count()


def ask(method, path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers, method=method)) as answer:
        return json.load(answer)


def mutation(number, collection, feed, record, fields):
    return {
        "id": str(uuid.uuid4()), "number": number, "feed": feed, "collection": collection, "record": record,
        "seen": 0, "age": 0, "set": fields,
    }


def prepare():
    account = ask("GET", "/v1/session")["account"]
    feed, secret = str(uuid.uuid4()), "A" * 43
    # The app has made the link of this invitation, so the server knows only the hash of its secret.
    digest = hashlib.sha256(secret.encode()).hexdigest()
    invitation = {"recipient": "mailto:ben@example.com", "purpose": "connect", "delivery": "device", "secret": digest}
    mutations = [
        mutation(1, "list", feed, feed, {"name": "Groceries"}),
        mutation(2, "invitation", account, str(uuid.uuid4()), invitation),
    ]
    # Each session has codes of its own, because a code belongs to one account for ever.
    codes = ["".join(random.choices("23456789BCDFGHJKMNPQRSTVWXYZ", k=8)) for _ in range(2)]
    for number, (programme, code) in enumerate(zip(["page", "redirect"], codes), start=3):
        shareable = {"programme": programme, "code": code}
        mutations.append(mutation(number, "shareable", account, str(uuid.uuid4()), shareable))
    ask(
        "POST", "/v1/sync",
        {
            "account": account, "device": str(uuid.uuid4()), "acknowledged": {"number": 0, "hash": ""},
            "sent": len(mutations), "mutations": mutations,
        },
    )
    links = f"/v1/lists/{feed}/links"
    existing.update(
        account=account, list=feed, codes=codes,
        tokens={
            "/v1/links/": ask("POST", links, {"role": "editor"})["token"],
            "/v1/public/": ask("POST", links, {"role": "viewer", "isPublic": True, "canTick": True})["token"],
            "/v1/invitations/": secret,
        },
    )


def sign_in(case):
    """Gives a request the cookie of its pages, and its form the proof that fits."""
    for path, (name, value) in cookies.items():
        if not value or not case.operation.path.startswith(path):
            continue
        case.cookies[name] = value
        if isinstance(case.body, dict):
            purpose = purposes.get(case.operation.label)
            if case.operation.label == "POST /account" and case.body.get("do") != "signOut":
                purpose = str(case.body.get("do"))
            if purpose:
                proof = hmac.digest(value.encode(), f"form\0{purpose}".encode(), hashlib.sha256)
                case.body["proof"] = base64.urlsafe_b64encode(proof).decode().rstrip("=")


if token:
    prepare()


@schemathesis.hook
def before_call(context, case, kwargs):
    if not existing:
        return
    if case.operation.label == "POST /v1/sync" and isinstance(case.body, dict) and "account" in case.body:
        case.body["account"] = existing["account"]
    turn = next(turns)
    if turn % 2 == 0:
        return
    sign_in(case)
    for name in case.path_parameters or {}:
        if name in ["account", "list"]:
            case.path_parameters[name] = existing[name]
        elif name == "shareCode":
            case.path_parameters[name] = existing["codes"][turn // 2 % 2]
        elif name == "token":
            for path, secret in existing["tokens"].items():
                if case.operation.path.startswith(path):
                    case.path_parameters[name] = secret
