"""Reads vCards with vobject, an independent reader, one by one.

Standard input: a line for each card, its bytes in base64. Standard output: a line of JSON for each, either
{"properties": [{"group", "name", "parameters", "values"} …]} or {"error": sentence}. The values of a structured
property are its components; those of another one are one value. The parameters are without what vobject has used up.
"""

import base64
import json
import logging
import sys

import vobject

logging.disable(logging.CRITICAL)

PARTS = {
    "N": ("family", "given", "additional", "prefix", "suffix"),
    "ADR": ("box", "extended", "street", "city", "region", "code", "country"),
}


def text(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def plain(value):
    return ",".join(plain(part) for part in value) if isinstance(value, list) else str(value)


def values(line):
    value = line.value
    if isinstance(value, bytes):
        return ["base64:" + base64.b64encode(value).decode()]
    if line.name in PARTS and not isinstance(value, str):
        return [plain(getattr(value, part)) for part in PARTS[line.name]]
    if isinstance(value, list):
        return [plain(part) for part in value]
    return [str(value)]


def parameters(line):
    found = {name: list(written) for name, written in line.params.items() if name not in ("ENCODING", "CHARSET")}
    # Whether a bare one is a name or a value, vobject leaves to its caller.
    bare = [word for word in line.singletonparams if word]
    if bare:
        found["TYPE"] = found.get("TYPE", []) + bare
    return found


def properties(data):
    card = vobject.readOne(text(data), allowQP=True)
    return [
        {"group": line.group, "name": line.name, "parameters": parameters(line), "values": values(line)}
        for line in card.lines()
    ]


for line in sys.stdin:
    try:
        answer = {"properties": properties(base64.b64decode(line))}
    except Exception as error:  # Whatever it stumbles over is an answer too.
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
