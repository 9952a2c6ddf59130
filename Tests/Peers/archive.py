"""Reads an archive of `kith session export` with Python's zipfile and PyPI's vobject, and prints what it found as JSON.

    .build/peers/bin/python Tests/Peers/archive.py archive.zip
"""

import json
import sys
import zipfile

import vobject

with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None, "A checksum is wrong."
    found = {"files": sorted(archive.namelist()), "json": {}, "tasks": {}, "cards": {}}
    for name in archive.namelist():
        text = archive.read(name).decode("utf-8")
        if name.endswith(".json"):
            found["json"][name] = json.loads(text)
        elif name.endswith(".ics"):
            tasks = [task for calendar in vobject.readComponents(text) for task in calendar.vtodo_list]
            found["tasks"][name] = [{"title": task.summary.value, "status": task.status.value} for task in tasks]
        elif name.endswith(".vcf"):
            found["cards"][name] = [card.fn.value for card in vobject.readComponents(text)]
    print(json.dumps(found))
