"""Tests nodes that share a database under a concurrent load. Scripts/nodes starts it, and what it needs."""

import argparse
import random
import sys

import designs
from database import Database
from kinto_run import KintoRun
from kith_run import DEVICES, LISTS, KithRun
from ledger import Ledger

# The faults that can be planted.
PLANTS = [fault for fault in Ledger.FAULTS if fault != "unexpected"]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, help="the folder of psql")
    parser.add_argument("--sockets", required=True, help="the folder of PostgreSQL's socket")
    parser.add_argument("--kith", required=True, help="the addresses of Kith's nodes, separated by commas")
    parser.add_argument("--kinto", default="", help="the addresses of Kinto's nodes, separated by commas")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--writers", type=int, required=True)
    parser.add_argument("--delay", type=int, required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1_000_000))
    parser.add_argument("--plant", choices=["", "all", *PLANTS], default="")
    return parser.parse_args()


def addresses(text):
    pairs = [address.removeprefix("http://").rsplit(":", 1) for address in text.split(",") if address]
    return [(host, int(port)) for host, port in pairs]


def times(ledger, what):
    found = ledger.quantiles(what)
    return f"p50 {found[0]:,.1f} ms, p99 {found[1]:,.1f} ms" if found else "too few to say"


def show(rows):
    for name, value in rows:
        print(f"  {name:<58} {value}")


def report(run, ledger):
    counts = ledger.counts
    edits = len(ledger.edits)
    accounts = -(-len(run.writers) // DEVICES)
    print(f"\nKith: nodes {len(run.nodes)}, writers {len(run.writers)}, accounts of writers {accounts}, lists {LISTS}, "
          f"followers {len(run.followers)}, seconds {run.seconds:.0f}")
    show([
        ("edits acknowledged", f"{edits:,} ({counts['create']:,} new items, {counts['remove']:,} removed, "
                               f"{counts['add']:,} additions), {edits / run.seconds:,.0f}/s"),
        ("requests sent again after a lost request or answer", f"{counts['repeated']:,}"),
        ("requests refused (429, 503), connections broken", f"{counts['refused']:,}, {counts['broken']:,}"),
        ("commits that a higher transaction number had overtaken", f"{run.overtaken:,} of {run.commits:,}"),
        ("deadlocks that PostgreSQL has ended", f"{run.database.deadlocks():,}"),
        ("from sending an edit to its acknowledgement", times(ledger, "acknowledged")),
        ("from sending an item to a live follower", times(ledger, "arrived")),
        ("a round of a follower", times(ledger, "read")),
    ])
    show([(text, f"{counts[fault]:,}") for fault, text in Ledger.FAULTS.items()])
    for fault, remarks in ledger.remarks.items():
        for remark in remarks:
            print(f"    {fault}: {remark}")


def compare(options):
    """Shows what Kinto loses under the same load, and what designs of cursors lose."""
    database = Database(options.programs, options.sockets, "kinto")
    database.delay("objects", options.delay, options.seed)
    for is_batched in (False, True):
        run = KintoRun(addresses(options.kinto), database, options, is_batched)
        ledger = run.measure()
        counts = ledger.counts
        print(f"\nKinto, {'batches of 25' if is_batched else 'single requests'}: nodes {len(run.nodes)}, "
              f"writers {len(run.writers)}, followers {len(run.followers)}, seconds {run.seconds:.0f}")
        show([
            ("edits acknowledged", f"{len(ledger.edits):,} ({counts['create']:,} new items, {counts['remove']:,} "
                                   f"removed), {len(ledger.edits) / run.seconds:,.0f}/s"),
            ("requests sent again after a lost request or answer", f"{counts['repeated']:,}"),
            ("edits and requests refused, connections broken", f"{counts['refused']:,}, {counts['broken']:,}"),
            ("commits that a higher transaction number had overtaken", f"{run.overtaken:,} of {run.commits:,}"),
            ("from sending an edit to its acknowledgement", times(ledger, "acknowledged")),
            ("reading the changes of a collection", times(ledger, "read")),
        ])
        show([(Ledger.FAULTS[fault], f"{counts[fault]:,}") for fault in ("lost", "disordered", "missed", "unexpected")])
        for fault, remarks in ledger.remarks.items():
            print(f"    {fault}: {remarks[0]}")
    database = Database(options.programs, options.sockets, "designs")
    database.create()
    print(f"\nWays to number changes: {options.writers} clients of pgbench, a fifth of the commits waits for 2 ms, "
          f"{options.seconds} s each")
    print(f"  {'way':<46} {'commits/s':>10}   rows that the follower never saw")
    for name, rate, missed, rows in designs.compare(database, options):
        print(f"  {name:<46} {rate:>10,.0f}   {missed:,} of {rows:,}", flush=True)


def main():
    options = arguments()
    database = Database(options.programs, options.sockets, "kith")
    database.delay("feed", options.delay, options.seed)
    nodes = addresses(options.kith)
    print(f"Seed {options.seed}. Commits are delayed by up to {options.delay} ms.", flush=True)
    if options.plant:
        return planted(nodes, database, options)
    run = KithRun(nodes, database, options)
    ledger = run.measure()
    report(run, ledger)
    if options.kinto:
        compare(options)
    if not ledger.edits or run.overtaken == 0:
        print("No commit was overtaken, so the run has shown nothing. Use more --seconds or a longer --delay.")
        return 1
    return 1 if ledger.has_faults else 0


def planted(nodes, database, options):
    """Runs once with each planted fault. Returns 0 if each was found."""
    missed = 0
    for plant in PLANTS if options.plant == "all" else [options.plant]:
        ledger = KithRun(nodes, database, options, plant).measure()
        found = ledger.counts[plant]
        missed += 0 if found else 1
        remark = ledger.remarks[plant][0] if found else ""
        print(f"  {plant:<10} {'found' if found else 'NOT FOUND'}: {found:,} {Ledger.FAULTS[plant]}\n"
              f"             {remark}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
